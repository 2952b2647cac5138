// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate/run_cost.hpp"

namespace commmap {

/// The change that an exchange of ranks makes to the sums of each port, in each part of the run
/// (PortCostState's additive detail).
///
/// If a rank moves from PU x to PU y, only the ports from x and from y up to their common ancestor
/// change. Outside of them the old path and the new path are one.
/// So a rank's traffic moves from one of these two chains to the other as a whole.
/// Only its messages to ranks below the top of a chain are looked at one by one.
///
/// The run must outlive the object.
/// Threads: not safe (scratch).
/// Memory: 16 bytes * parts * ranks that were moved * port classes, at most max_total_bytes. Beyond
/// that the sums are made at each use.
/// Cost: O(messages of the moved ranks in all parts + parts * depth); at the first move of a rank
/// also messages * classes.
class AdditiveChange {
public:
    struct Sums {
        double time_s = 0.0;
        double bytes = 0.0;
        std::int64_t messages = 0;
    };
    struct OfPort {
        std::uint32_t port;  ///< as in PortTable
        const Sums* added;   ///< by part
    };

    explicit AdditiveChange(const RunCost& run);

    /// Returns every port whose sums change, each once. `rank` goes to `to`, and `other` (no_id:
    /// nobody) to the place of `rank`.
    /// @param pu_of_rank  the placement before; other is on `to`
    /// @return            valid until the next call
    std::span<const OfPort> of_exchange(std::span<const PuId> pu_of_rank, RankId rank, PuId to,
                                        RankId other);

    static constexpr std::size_t max_total_bytes = std::size_t{64} << 20U;

private:
    /// Traffic that a rank sends or receives in one part of the run.
    struct RankTraffic {
        double bytes = 0.0;
        std::int64_t messages = 0;
    };
    /// An element on the way from a PU up to below the common ancestor.
    struct Link {
        ElementId element;
        PortTable::Step step;
        std::uint32_t in_port;
        Sums* out;  ///< by part, also in the next two
        Sums* in;   ///< of a half-duplex link the same as out
        Sums* through;
    };
    using Chain = std::vector<Link>;

    void make_chains(PuId from, PuId to);
    void make_sums();
    void learn(RankId rank);
    [[nodiscard]] std::size_t of_rank(RankId rank) const { return rank * run_.num_parts(); }
    [[nodiscard]] double total_time_s(std::size_t part, RankId rank, bool sent,
                                      std::uint32_t port_class) const;
    void add_all(Chain& chain, std::size_t part, RankId rank, double sign);
    void move(Chain& from, Chain& to, RankId rank, RankId other, std::span<const PuId> pu_of_rank);
    void pass_top(Chain& chain, std::size_t part, PuId peer, std::uint32_t kind, double sign);

    const RunCost& run_;
    const PortTable& table_;         ///< of the whole run; its ports and classes hold for all parts
    std::vector<char> known_;        ///< by rank: its totals are known
    std::vector<RankTraffic> sent_;  ///< [rank][part]
    std::vector<RankTraffic> received_;  ///< [rank][part]
    std::vector<double> times_s_;        ///< [rank][part][class][sent, received]; empty: too large
    Chain here_;
    Chain there_;
    ElementId top_ = no_id;  ///< the common ancestor
    Sums* top_through_ = nullptr;
    std::vector<Sums> sums_;  ///< the links point into this array
    std::vector<OfPort> changes_;
};

}  // namespace commmap
