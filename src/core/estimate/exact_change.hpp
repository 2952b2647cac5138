// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/estimate/port_fold.hpp"
#include "core/estimate/run_cost.hpp"

namespace commmap {

/// The change that an exchange of ranks makes to the costs of each port, for each part of the run
/// (PortCostState's exact detail).
///
/// The two ports of an element (one, if its link is half duplex) carry the messages between the
/// ranks below the element and all others. So their cost depends only on the set of these ranks.
/// The messages that leave a set come into the set of all others, and cost the same at equal ports.
/// So the two halves of a machine are worked out once.
/// An exchange changes only the sets between the two PUs and their common ancestor. A search comes
/// back to the same sets again and again, so their costs are remembered.
/// The `through` port of an element depends on the sets below its children, and is worked out each
/// time.
///
/// If two ranks that are alone below equal elements exchange places, these elements' ports exchange
/// their costs too. A try leaves these ports out.
///
/// The run must outlive the object. At most max_ranks ranks (asserted).
/// Threads: not safe (scratch).
/// Memory:
/// - 16 bytes for each element;
/// - 16 bytes for each entry of a part, and 8 for each class of ports;
/// - the costs of the remembered sets, at most max_remembered_bytes.
/// Cost: O(parts) for a remembered set, O(entries of all parts) for another set, O(entries + parts
/// * ranks * depth) for a `through` port.
class ExactChange {
public:
    static constexpr std::size_t max_ranks = 128;
    static constexpr std::size_t most_remembered = 1U << 13U;
    static constexpr std::size_t max_remembered_bytes = std::size_t{4} << 20U;

    /// Ports and their costs.
    class Ports {
    public:
        explicit Ports(std::size_t num_parts) : num_parts_(num_parts) {}
        [[nodiscard]] std::size_t size() const { return numbers_.size(); }
        [[nodiscard]] std::uint32_t number(std::size_t i) const { return numbers_[i]; }
        /// Returns costs by part, as by Fig. 4: see port_cost().
        [[nodiscard]] const double* costs_s(std::size_t i) const {
            return costs_s_.data() + i * num_parts_;
        }
        void clear() {
            numbers_.clear();
            costs_s_.clear();
        }
        void add(std::uint32_t number, const double* costs_s) {
            numbers_.push_back(number);
            costs_s_.insert(costs_s_.end(), costs_s, costs_s + num_parts_);
        }

    private:
        std::size_t num_parts_;
        std::vector<std::uint32_t> numbers_;  ///< as in PortTable
        std::vector<double> costs_s_;
    };

    /// Calls found(port, costs_s by part) for each port that carries anything.
    template <class Found>
    ExactChange(const RunCost& run, Placement placement, Found&& found)
        : ExactChange(run, placement) {
        for (ElementId element = 0; element < sets_.size(); ++element) {
            if (sets_[element].none()) continue;
            changes_.clear();
            add_ports(element, sets_[element]);
            add_through(element, sets_[element]);
            for (std::size_t i = 0; i < changes_.size(); ++i)
                found(changes_.number(i), changes_.costs_s(i));
        }
    }

    /// Returns the ports whose costs change, each once, without those that exchange their costs.
    /// `rank` goes to `to`, and `other` (no_id: nobody) to the place of `rank`.
    /// @param placement  the placement before; other is on `to`. Must stay as it is until keep()
    /// @return           valid until the next call
    const Ports& of_exchange(Placement placement, RankId rank, PuId to, RankId other);
    /// Makes the last exchange permanent.
    /// @return  all ports on the two ways up to the common ancestor, and the ancestor's `through`
    ///          port; valid until the next call
    const Ports& keep();

private:
    using RankSet = std::bitset<max_ranks>;
    /// A set without rank 0, and the classes of the ports that carry the messages that leave and
    /// enter the set.
    struct Remembered {
        RankSet set;  ///< empty: this place remembers nothing
        std::uint32_t out_class = 0;
        std::uint32_t in_class = 0;
        std::uint32_t slot = 0;  ///< index into remembered_s_
    };
    /// Costs by part.
    struct Costs {
        const double* out_s;
        const double* in_s;
    };

    /// All messages from one rank to another in one part.
    struct Sent {
        RankId peer;
        std::uint32_t kind;  ///< PortTable's kind, in the part
        double bytes;
    };
    /// All messages that a rank sends in one part: sent_[first] to sent_[end - 1].
    struct Sender {
        RankId source;
        std::uint32_t part;
        std::uint32_t first;
        std::uint32_t end;
    };
    /// The fold of one port, and what the fold needs of the port, which is the same in all parts.
    struct Direction {
        std::uint32_t port_class;
        double max_bandwidth_bytes_per_s;
        PortFold fold = {};
    };

    ExactChange(const RunCost& run, Placement placement);

    template <bool WithEqual>
    void add_all();
    [[nodiscard]] RankSet after(RankSet below) const {
        below.flip(rank_);
        if (other_ != no_id) below.flip(other_);
        return below;
    }
    [[nodiscard]] RankSet set_of(ElementId element) const;
    [[nodiscard]] PuId pu_of(RankId rank) const;
    void add_ports(ElementId element, const RankSet& below);
    void add_through(ElementId element, const RankSet& below);
    [[nodiscard]] Costs costs_of(ElementId element, const RankSet& below);
    template <bool HalfDuplex>
    void work_out(const RankSet& set, const Direction& out, const Direction& in, double* costs_s);
    [[nodiscard]] const double* times_at(std::uint32_t port_class);
    [[nodiscard]] Direction direction_of(std::uint32_t port) const {
        return {table_.class_of(port), table_.max_bandwidth_bytes_per_s(port)};
    }
    template <class IsMeant>
    void fold(Direction& into, const Sender& sender, const double* times_s,
              IsMeant&& is_meant) const;
    [[nodiscard]] RankSet peers_through(ElementId element, const RankSet& below,
                                        RankId source) const;
    const RunCost& run_;
    const PortTable& table_;  ///< of the whole run; its ports and classes hold for all parts
    std::size_t num_parts_;
    std::size_t num_ranks_;
    RankSet all_;                  ///< all ranks
    std::vector<RankSet> sets_;    ///< by element: the ranks below it
    std::vector<Sender> senders_;  ///< of all parts, in the order of ranks within a part
    std::vector<Sent> sent_;
    /// Times by class of port, then by entry of sent_. Empty: not asked for yet.
    std::vector<std::vector<double>> times_s_;
    std::vector<Remembered> remembered_;
    /// A slot for each remembered set, with two numbers for each part: out, then in. Slots are used
    /// in turn, so that a short search touches little of the memory.
    std::unique_ptr<double[]> remembered_s_;
    std::uint32_t num_slots_ = 0;
    std::vector<double> nothing_s_;  ///< costs of ports with no rank below
    std::vector<double> through_s_;  ///< scratch
    Ports changes_;

    Placement placement_;
    RankId rank_ = no_id;  ///< the exchange that is tried; no_id: none
    RankId other_ = no_id;
    PuId from_ = 0;
    PuId to_ = 0;
};

}  // namespace commmap
