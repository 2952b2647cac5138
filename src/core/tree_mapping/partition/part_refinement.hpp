// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/deadline.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/moves/potential.hpp"
#include "core/tree_mapping/partition/gain_heap.hpp"

namespace commmap {

/// The part of each vertex of a graph.
using Parts = std::vector<std::uint32_t>;

/// Moves vertices between the parts of a graph, two parts at a time, to lower the sum of the
/// potentials of the parts' links.
/// Halving cannot find such moves: it never looks again at two parts that it has put into different
/// halves.
///
/// Keeps its memory from one call to the next.
/// Threads: not safe. Deterministic.
/// Source: pairs of a partition's quotient graph: Sanders, Schulz, "Engineering multilevel graph
/// partitioning algorithms", ESA 2011, Sec. 5.
/// Differs from the paper: the end of a pass is chosen by the potential of both parts' links, which
/// may be any convex function of their loads.
class PartRefinement {
public:
    struct Problem {
        const CsrGraph& graph;
        std::span<const std::uint32_t> targets;  ///< ranks in each part
        std::uint32_t tolerance = 0;             ///< so many ranks more or fewer are as good
        Potential potential;                     ///< of a part's load: what leaves the part
        /// Weight of each vertex's edges to outside of the graph; empty: there are none.
        std::span<const double> outside = {};
    };
    struct Effort {
        /// Sweeps through all pairs but those that have not changed, or hardly count.
        unsigned sweeps = 1;
        unsigned patience = 60;  ///< moves without a better state until a pass ends
    };

    /// Refines the parts. Part sizes never get further from their targets, and at equal distances
    /// the potential never rises.
    /// A vertex is tried only with the few parts to which it is most strongly connected. A vertex
    /// with thousands of neighbours stays at its place.
    /// @param deadline  asked between two pairs
    /// Cost: O(edges) a sweep, O(log vertices) for each edge near a boundary.
    void refine(const Problem& problem, const Effort& effort, Parts& part_of,
                const Deadline& deadline = {});

    /// Makes the sizes exact, with as low a potential as moves of single vertices reach.
    /// @pre each vertex is one rank
    /// Cost: O(edges), O(parts) and a few looks at vertices for each rank too many in a part.
    void fill_exactly(const Problem& problem, Parts& part_of);

    /// Returns the weight of the edges that leave each part. Cost: O(edges).
    [[nodiscard]] static std::vector<double> loads_of(const Problem& problem, const Parts& part_of);
    /// Returns the sum of the potentials of all parts. Cost: O(edges).
    [[nodiscard]] static double potential_of(const Problem& problem, const Parts& part_of);

private:
    struct Pair {
        std::uint32_t parts[2];
    };
    struct Border {
        std::uint64_t pair;
        std::uint32_t vertex;
    };
    /// The weights of a vertex's edges.
    struct PairWeights {
        double to[2] = {0.0, 0.0};  ///< to the two parts of the pair
        double rest = 0.0;
    };
    /// Ranks too many in the two parts.
    using Excess = std::int64_t[2];

    /// The best way for a vertex out of its part.
    struct Exit {
        double change = 0.0;  ///< change of the potential
        std::uint32_t vertex = 0;
        std::uint32_t to = 0;
    };

    void start(const Problem& problem, Parts& part_of);
    [[nodiscard]] bool is_hub(std::uint32_t v) const;
    /// Finds the weights from a vertex to parts: weight_to_ of the parts in near_, until
    /// forget_weights().
    void find_weights(std::uint32_t v);
    void forget_weights();
    /// @param least_loaded  the part with the least load among those that lack ranks
    [[nodiscard]] Exit exit_of(std::uint32_t v, std::uint32_t least_loaded);
    [[nodiscard]] std::uint32_t least_loaded_with_room() const;
    bool refine_pair(Pair pair, std::span<const Border> border, unsigned patience);
    void find_borders();
    [[nodiscard]] PairWeights weights_of(std::uint32_t v, Pair pair) const;
    void offer(std::uint32_t v, Pair pair);
    void move(std::uint32_t v, Pair pair);

    const Problem* problem_ = nullptr;
    Parts* part_of_ = nullptr;
    std::vector<double> loads_;         ///< by part
    std::vector<std::int64_t> excess_;  ///< by part, ranks too many
    std::uint32_t largest_ = 1;         ///< ranks in a vertex
    std::vector<Border> borders_;
    std::vector<double> weight_to_;    ///< by part; all 0 between two vertices
    std::vector<std::uint32_t> near_;  ///< parts of a vertex's neighbours
    std::vector<double> gains_;
    std::vector<std::uint32_t> moved_in_;  ///< by vertex, the pass in which it moved last
    std::uint32_t pass_ = 0;
    double price_[2] = {0.0, 0.0};
    GainHeap heaps_[2];
    std::vector<std::uint32_t> log_;
    std::vector<std::uint8_t> changed_;  ///< by part, in this sweep
    std::vector<std::uint8_t> active_;   ///< parts that changed in the sweep before
    std::vector<std::uint8_t> wanted_;   ///< active parts that are worth a pass
};

}  // namespace commmap
