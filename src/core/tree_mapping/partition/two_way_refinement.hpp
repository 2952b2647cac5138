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
    /// By vertex, 0 where all its neighbours are on its side; empty: nothing is known. (In coarse
    /// graphs with weights above 2^24 up to what is lost in rounding them.)
    std::vector<std::uint8_t> border;
};

/// Moves vertices between two sides, also uphill, and keeps the best that was on the way: first the
/// one whose sizes are right, then the smallest cut.
///
/// Keeps its memory from one call to the next. Not thread-safe. Deterministic.
/// Source: Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC
/// 1982. Differs from the paper: heaps instead of buckets (weights are no small integers), and a
/// pass ends after `patience` moves that found nothing better.
class TwoWayRefinement {
public:
    struct Goal {
        std::uint64_t target = 0;     ///< ranks on side 0
        std::uint64_t tolerance = 0;  ///< more or fewer of them are as right
    };
    struct Effort {
        unsigned passes = 8;
        unsigned patience = 100;
    };

    /// The tolerance is kept where the vertices' sizes allow it: always, when all are 1, and the
    /// effort is at least one pass with a patience of 1. Cut and
    /// border are known afterwards. Cost: O(edges), and O(log vertices) for each edge of a vertex
    /// that moves.
    void refine(const CsrGraph& graph, const Goal& goal, const Effort& effort, Bipartition& split);

private:
    /// Of a vertex that no one asked for yet: all its neighbours are on its side.
    static constexpr double unknown = -1.0;

    void find_gains(const CsrGraph& graph, Bipartition& split);
    void find_gain(const CsrGraph& graph, std::uint32_t v);
    bool run_pass(const CsrGraph& graph, const Goal& goal, unsigned patience, Sides& sides,
                  double& cut);
    /// Also those without neighbours: they cost nothing anywhere, and make sizes right.
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
    std::vector<double> totals_;           ///< weight of a vertex's edges, or unknown, and its gain
    std::vector<std::uint32_t> moved_in_;  ///< by vertex, the pass in which it moved last
    std::uint32_t pass_ = 0;
    /// The vertices that a pass may begin with, each once: the boundary is among them.
    std::vector<std::uint32_t> near_;
    std::vector<std::uint32_t> log_;
    GainHeap heaps_[2];
    std::int64_t off_ = 0;       ///< ranks too many on side 0
    std::int64_t max_size_ = 1;  ///< of a vertex
};

}  // namespace commmap
