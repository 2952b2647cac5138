// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/deadline.hpp"
#include "core/base/random.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/graph/hierarchy.hpp"
#include "core/tree_mapping/partition/part_refinement.hpp"

namespace commmap {

/// Lowers the cut between the parts of a graph by simulated annealing. A vertex goes to the best of
/// the other parts, even if that costs more, but less and less often so.
///
/// Graphs without geometry (power laws, random graphs) have few small cuts. A search that only goes
/// downhill, two parts at a time, stops 2 to 6 % above the cut that annealing finds in less time.
/// Annealing of single vertices cannot move a group that heavy edges hold together. On a graph that
/// was coarsened within the parts such a group is one vertex.
/// So each cycle goes from the coarsest graph to the finest one, and every cycle coarsens anew.
///
/// Keeps its memory from one call to the next.
/// Threads: not safe. Deterministic by the state of `random`.
/// Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983; a
/// price for sizes: Johnson, Aragon, McGeoch, Schevon, "Optimization by simulated annealing: an
/// experimental evaluation; part I, graph partitioning", Operations Research 37, 1989, Sec. 3.
/// Differs from the papers:
/// - There are many parts instead of two.
/// - Vertices take turns, only those at the border, each with its best part instead of a random
///   one.
/// - Temperatures go down in straight lines, from graph to graph and from cycle to cycle.
/// - A cycle that made the cut worse is dropped.
class PartAnnealing {
public:
    struct Problem {
        const CsrGraph& graph;
        std::span<const std::uint32_t> targets;  ///< ranks in each part
    };
    struct Effort {
        unsigned cycles = 0;          ///< 0: no annealing
        unsigned with_good_cuts = 0;  ///< most cycles if the parts' CutShares are not large
        /// Tries for each vertex of each graph. Vertices at the border take all of them.
        unsigned tries = 8;
    };
    /// Bound, for a vertex's weights to more parts take too long to read.
    static constexpr std::size_t most_parts = 64;
    /// Bound of the weights from each vertex to each part that are kept: 128 MiB.
    static constexpr std::size_t most_weights = std::size_t{1} << 25U;

    [[nodiscard]] static bool takes(std::size_t vertices, std::size_t parts) {
        return parts >= 2 && parts <= most_parts && vertices <= most_weights / row_of(parts);
    }

    /// Lowers the cut, which is never higher afterwards. Sizes are then close to the targets, not
    /// exact.
    /// @param part_of   by vertex, a number below targets.size(); the sizes are the targets
    /// @param deadline  asked before each look at all vertices; the cycle that it ends is dropped
    /// @return          whether anything changed
    /// @pre takes(vertices, parts), and no target is 0
    /// Memory: four bytes for each vertex and part, and the graph three times.
    /// Cost: O(vertices * parts + edges) for each cycle, O(parts) for each try, O(neighbours) for
    /// each move.
    bool lower_cut(const Problem& problem, const Effort& effort, Random& random, Parts& part_of,
                   const Deadline& deadline = {});

private:
    static constexpr std::size_t lanes = 4;
    [[nodiscard]] static std::size_t row_of(std::size_t parts) {
        return (parts + lanes - 1) / lanes * lanes;
    }

    /// @return  false: the deadline has passed, and part_of_ is of some graph
    bool run_cycle(const Hierarchy& hierarchy, double heat, unsigned tries, Random& random,
                   const Deadline& deadline);
    void anneal(const CsrGraph& graph, double heat, unsigned tries, Random& random,
                const Deadline& deadline);
    void start(const CsrGraph& graph);
    void try_move(const CsrGraph& graph, std::uint32_t v, std::uint64_t random);
    void move(const CsrGraph& graph, std::uint32_t v, std::uint32_t to);
    /// Returns the part other than v's own with the largest gain for v, sizes included.
    [[nodiscard]] std::uint32_t best_other(std::uint32_t v, float size);
    [[nodiscard]] float* weights_to(std::uint32_t v) { return weight_to_.data() + v * row_; }
    [[nodiscard]] bool at_border(std::uint32_t v) { return weights_to(v)[part_of_[v]] < total_[v]; }
    /// Updates the handicap after a change of the part's excess, or of the price.
    void set_handicap(std::size_t part) {
        handicap_[part] = price_ * static_cast<float>(excess_[part]);
    }

    std::span<const std::uint32_t> targets_;
    Parts part_of_;                     ///< of the graph that is annealed
    std::size_t row_ = 0;               ///< parts, rounded up to a multiple of lanes
    std::vector<float> weight_to_;      ///< by vertex and part, weight of its edges to the part
    std::vector<float> total_;          ///< by vertex, weight of all its edges
    std::vector<std::int64_t> excess_;  ///< by part, ranks too many
    std::vector<float> handicap_;       ///< by part, cost of its excess for each rank that comes
    std::vector<std::int64_t> most_excess_;  ///< by part
    float temperature_ = 0.0F;
    float price_ = 0.0F;  ///< of one rank too many, for each rank that comes
};

}  // namespace commmap
