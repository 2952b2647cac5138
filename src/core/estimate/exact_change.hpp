#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate/port_table.hpp"

namespace commmap {

/// What an exchange of ranks does to the cost of each port (PortCostState's exact detail).
///
/// The two ports of an element carry what the ranks below the element send to and get from all
/// others. So their cost depends on the set of these ranks, and on nothing else about the
/// placement. An exchange changes the sets between the two PUs and their common ancestor alone, and
/// a search comes back to the same sets again and again: their costs are remembered. The `through`
/// port of an element depends on the sets below its children, and is worked out each time.
///
/// Where two ranks that are alone below equal elements exchange places, so do the costs of these
/// elements' ports, and a try has nothing to do there.
///
/// The table must outlive it; at most max_ranks ranks (asserted). Not thread-safe (scratch).
/// Memory: 16 bytes an element, and the costs of num_remembered sets, 40 bytes each.
/// Cost: a set that is remembered O(1), another O(entries of the ranks below it and of those that
/// send to them); a `through` port O(entries + ranks * depth).
class ExactChange {
public:
    static constexpr std::size_t max_ranks = 128;
    static constexpr std::size_t num_remembered = 1U << 13U;

    struct OfPort {
        std::uint32_t port;  ///< PortTable's number
        double cost_s;       ///< Fig. 4's, see port_cost()
    };

    /// Calls found(port, cost_s) for each port that carries anything.
    template <class Found>
    ExactChange(const PortTable& table, Placement placement, Found&& found)
        : ExactChange(table, placement) {
        for (ElementId element = 0; element < sets_.size(); ++element) {
            if (sets_[element].none()) continue;
            changes_.clear();
            add_ports(element, sets_[element]);
            add_through(element, sets_[element]);
            for (const OfPort& change : changes_) found(change.port, change.cost_s);
        }
    }

    /// `rank` goes to `to`, and `other` (no_id: nobody) to where `rank` was.
    /// @param placement  before it; other is on `to`. Must stay as it is until keep()
    /// @return  ports whose costs change, each once, but for those that exchange their costs; valid
    /// until the next call
    std::span<const OfPort> of_exchange(Placement placement, RankId rank, PuId to, RankId other);
    /// Makes the last exchange so. @return  all ports on the two ways up to the common ancestor,
    /// and that one's `through` port; valid until the next call
    std::span<const OfPort> keep();

    /// Bytes that the port carries. Cost: O(entries).
    [[nodiscard]] double bytes_of(std::uint32_t port, Placement placement) const;

private:
    using RankSet = std::bitset<max_ranks>;
    struct Costs {
        double out_s = 0.0;
        double in_s = 0.0;
    };
    struct Remembered {
        RankSet below;  ///< empty: nothing is remembered here
        std::uint32_t out_class = 0;
        std::uint32_t in_class = 0;
        Costs costs;
    };

    ExactChange(const PortTable& table, Placement placement);

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
    [[nodiscard]] Costs work_out(ElementId element, const RankSet& below) const;
    void fold_into(PortFold& fold, std::uint32_t port, RankId source, const RankSet& peers) const;
    [[nodiscard]] PortFold through(ElementId element, const RankSet& below) const;

    const PortTable& table_;
    std::vector<RankSet> sets_;   ///< by element: the ranks below it
    std::vector<RankSet> peers_;  ///< by rank: to whom it sends
    std::vector<Remembered> remembered_;
    std::vector<OfPort> changes_;

    Placement placement_;
    RankId rank_ = no_id;  ///< the exchange that is looked at; no_id: none
    RankId other_ = no_id;
    PuId from_ = 0;
    PuId to_ = 0;
};

}  // namespace commmap
