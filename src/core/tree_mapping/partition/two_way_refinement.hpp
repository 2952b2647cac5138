// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/partition/gain_heap.hpp"

namespace commmap {

/// A graph split in two.
struct Bipartition {
    double cut = 0.0;  ///< weight of the edges between the sides
    Sides sides;
    /// For each vertex 0 if all its neighbours are on its side; empty: not known. (In coarse graphs
    /// with weights above 2^24, up to rounding errors.)
    std::vector<std::uint8_t> border;
};

/// Moves vertices between two sides, also uphill, and keeps the best state on the way: first by
/// right sizes, then by the smallest cut.
///
/// Keeps its memory from one call to the next.
/// Threads: not safe. Deterministic.
/// Source: Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC
/// 1982.
/// Differs from the paper: heaps instead of buckets (weights are no small integers), and a pass
/// ends after `patience` moves without a better state.
class TwoWayRefinement {
public:
    struct Goal {
        std::uint64_t target = 0;     ///< ranks on side 0
        std::uint64_t tolerance = 0;  ///< so many ranks more or fewer are as good
    };
    struct Effort {
        unsigned passes = 8;
        unsigned patience = 100;
    };

    /// Refines a split; cut and border are known afterwards. The tolerance is kept if the vertices'
    /// sizes allow that.
    /// Sizes allow that always if all are 1 and the effort is at least one pass with a patience of
    /// 1.
    /// Cost: O(edges), and O(log vertices) for each edge of a vertex that moves.
    void refine(const CsrGraph& graph, const Goal& goal, const Effort& effort, Bipartition& split);

private:
    /// Total of a vertex that nobody has asked for yet: all its neighbours are on its side.
    static constexpr double unknown = -1.0;

    void find_gains(const CsrGraph& graph, Bipartition& split);
    void find_gain(const CsrGraph& graph, std::uint32_t v);
    bool run_pass(const CsrGraph& graph, const Goal& goal, unsigned patience, Sides& sides,
                  double& cut);
    /// Returns whether a vertex is at the boundary, or has no neighbours. Vertices without
    /// neighbours cost nothing anywhere, and make sizes right.
    [[nodiscard]] bool is_boundary(std::uint32_t v) const {
        return gains_[v] > -totals_[v] || totals_[v] == 0.0;
    }
    template <class Use>
    void flip(const CsrGraph& graph, std::uint32_t v, Sides& sides, const Use& use);
    void move(const CsrGraph& graph, std::uint32_t v, Sides& sides);
    void offer(std::uint32_t v, std::uint8_t side);
    void offer_boundary(const Sides& sides);
    void offer_all(const CsrGraph& graph, std::uint8_t side, const Sides& sides);

    std::vector<double> gains_;
    std::vector<double> totals_;           ///< weight of a vertex's edges, or unknown with its gain
    std::vector<std::uint32_t> moved_in_;  ///< by vertex, the pass in which it moved last
    std::uint32_t pass_ = 0;
    /// Vertices with which a pass may begin, each once. All vertices at the boundary are among
    /// them.
    std::vector<std::uint32_t> near_;
    std::vector<std::uint32_t> log_;
    GainHeap heaps_[2];
    std::int64_t off_ = 0;       ///< ranks too many on side 0
    std::int64_t max_size_ = 1;  ///< most ranks in a vertex
};

}  // namespace commmap
