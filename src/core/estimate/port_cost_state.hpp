// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/estimate/additive_change.hpp"
#include "core/estimate/exact_change.hpp"
#include "core/estimate/run_cost.hpp"

namespace commmap {

/// Objective of a search: first the time, then the spread of the load over all ports. With the
/// second, a search can leave plateaus on which the busiest ports do not change.
struct SearchObjective {
    double time_s = 0.0;       ///< RunTime::of(); in a run with one part, the busiest port's cost
    double sum_squares = 0.0;  ///< over all ports' costs, each by the weight of its part
};

/// Compares lexicographically, with room for rounding (same_cost of time_s, 1e-11 of sum_squares).
[[nodiscard]] bool better(const SearchObjective& a, const SearchObjective& b);

/// A placement with the cost of every port in every part of the run, kept up to date while ranks
/// move.
/// try_*() returns the objective after a change, and apply() keeps the last try. The next try
/// forgets a try that was not applied.
///
/// Detail::exact is port_cost()'s fold (Sweeney et al., Fig. 4), for the ports that a change
/// touches: see ExactChange. At most ExactChange::max_ranks ranks (asserted).
///
/// Detail::additive is a surrogate for large problems. Each port has two sums, of bytes and of
/// serial time, and
///     cost = max(bytes / maximum bandwidth, serial time / PUs below the port)
/// as if the ranks below overlapped perfectly. The surrogate is
/// - right where a port is saturated;
/// - too low where few of the ranks below do all the sending;
/// - too high where more ranks than there are PUs below send to the port and could overlap.
/// Judge a final result by port_cost().
///
/// The tree must outlive the state.
/// Threads: not safe. Same calls, same results.
/// Cost: construction O(entries * depth). A try: see ExactChange and AdditiveChange, and O(parts *
/// log(ports)) for each port that changes.
class PortCostState {
public:
    enum class Detail { exact, additive };
    /// Returns exact for few ranks.
    [[nodiscard]] static Detail default_detail(std::size_t num_ranks) {
        return num_ranks <= ExactChange::max_ranks ? Detail::exact : Detail::additive;
    }

    /// @pre check_placement() holds
    PortCostState(const CommGraph& graph, const Hct& hct, Placement placement, Detail detail);
    /// @param table  of the graph and this tree
    PortCostState(std::shared_ptr<const PortTable> table, const Hct& hct, Placement placement,
                  Detail detail);
    /// @param run   of this tree
    /// @param time  of as many steps
    PortCostState(std::shared_ptr<const RunCost> run, RunTime time, const Hct& hct,
                  Placement placement, Detail detail);

    [[nodiscard]] Placement placement() const { return pu_of_rank_; }
    [[nodiscard]] PuId pu_of(RankId rank) const { return pu_of_rank_[rank]; }
    [[nodiscard]] const SearchObjective& objective() const { return objective_; }
    /// Returns the busiest port of one part, by exact or surrogate cost; the first in element order
    /// among equals.
    [[nodiscard]] PortLoad busiest_port(std::size_t part = 0) const;
    /// Returns the seconds that the part's busiest port adds to the time.
    [[nodiscard]] double time_of_part_s(std::size_t part) const {
        return time_.weight(part) * tournament_[num_parts_ + part];
    }
    [[nodiscard]] const RunCost& run() const { return *run_; }
    [[nodiscard]] std::uint64_t num_tries() const { return num_tries_; }

    SearchObjective try_swap(RankId a, RankId b);
    /// Tries a move. The caller must know that the PU is free.
    SearchObjective try_move(RankId rank, PuId pu);
    /// Keeps the last try. Undo it by applying the opposite change.
    void apply();

    /// Returns whether every port agrees with a state built afresh, to 1e-6 of the cost. Cost: a
    /// construction.
    [[nodiscard]] bool agrees_with_fresh() const;

private:
    struct Load {
        double time_s = 0.0;
        double bytes = 0.0;
        /// Number of entries; at 0 the sums are set to 0, so that no rounding error stays.
        std::uint32_t messages = 0;
    };
    struct PortRecord {
        std::uint32_t number;  ///< as in PortTable
        double max_bandwidth_bytes_per_s;
        double pus_below;
    };

    SearchObjective finish_try();
    void sum_up();
    void begin_touching();
    double* touch(std::uint32_t port);
    [[nodiscard]] double* row(std::size_t place) { return tournament_.data() + place * num_parts_; }
    [[nodiscard]] const double* row(std::size_t place) const {
        return tournament_.data() + place * num_parts_;
    }
    [[nodiscard]] const double* tried_row(std::size_t place) const {
        return (tried_in_[place] == epoch_ ? tried_rows_ : tournament_).data() + place * num_parts_;
    }
    const double* climb();
    void change_sums();
    void change_sets();
    [[nodiscard]] static double additive_cost(const PortRecord& port, const Load& sum) {
        return std::max(sum.bytes / port.max_bandwidth_bytes_per_s, sum.time_s / port.pus_below);
    }
    void set_costs(std::uint32_t port, const double* costs_s);
    void rebuild_costs();

    const Hct& hct_;
    Detail detail_;
    std::shared_ptr<const RunCost> run_;
    RunTime time_;
    std::size_t num_parts_;
    std::vector<double> squared_weights_;  ///< by part
    std::vector<PuId> pu_of_rank_;

    std::vector<std::uint32_t>
        index_of_port_;  ///< by PortTable's number, index into ports_; no_id: never costs anything
    std::vector<PortRecord> ports_;
    std::size_t leaves_ = 1;  ///< of the tournament tree, a power of two
    /// Rows of one cost for each part. Row 1 has the highest costs, and row leaves_ + i the costs
    /// of port i.
    std::vector<double> tournament_;
    SearchObjective objective_;
    double highest_squares_ = 0.0;  ///< highest value of sum_squares since it was summed afresh

    struct Moved {
        RankId rank = no_id;
        PuId to = 0;
    };
    Moved moved_[2];
    bool trying_ = false;
    std::uint64_t num_tries_ = 0;
    std::uint64_t num_applied_ = 0;
    std::vector<std::uint32_t> touched_;   ///< ports
    std::vector<double> tried_rows_;       ///< as tournament_, where tried_in_ is epoch_
    std::vector<std::uint32_t> tried_in_;  ///< by row: the epoch in which it was tried last
    std::uint32_t epoch_ = 0;
    std::vector<std::size_t> climbing_;  ///< scratch: rows of one level
    SearchObjective tried_;
    std::optional<ExactChange> exact_;
    std::optional<AdditiveChange> additive_;  ///< from the first try on
    std::vector<Load> loads_;                 ///< additive: [port][part]
    std::vector<Load> touched_sums_;  ///< additive: loads_ of the touched ports after apply()
};

}  // namespace commmap
