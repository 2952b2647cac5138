// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/tree_mapping/graph/coarsening.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// A graph and its coarser graphs, each made from the one before. Level 0 is the graph itself.
class Hierarchy {
public:
    /// Most vertices that become one from level to level.
    /// With four, there are half as many levels. Refinement on the way back takes a third less
    /// time, and finds one percent less.
    enum class Step { two, four };

    /// Makes a hierarchy without coarser levels. finest must outlive the object.
    explicit Hierarchy(const CsrGraph& finest) : finest_(&finest) {}
    /// Makes a hierarchy that is coarsened, as coarsen() does it.
    Hierarchy(const CsrGraph& finest, std::uint32_t down_to, Random& random, Step step,
              std::span<const std::uint32_t> labels = {})
        : finest_(&finest) {
        coarsen(down_to, random, step, labels);
    }

    /// Coarsens until at most `down_to` vertices are left. Drops coarser levels, and makes missing
    /// ones.
    /// A coarse vertex holds at most 1.5 times its share of the ranks, or 2 ranks. In inherited
    /// levels the whole graph's share counts.
    /// @param down_to  number of vertices, at least 1
    /// @param labels   by vertex of the finest graph: only equal ones are joined, by twos; none:
    ///                 all
    /// @pre no labels, or nothing is coarsened yet
    /// Cost: O(edges).
    void coarsen(std::uint32_t down_to, Random& random, Step step,
                 std::span<const std::uint32_t> labels = {});

    /// Returns the hierarchy of the vertices on one side. Joined vertices stay joined, without
    /// those of the other side.
    /// Leaves out levels on which too many vertices came apart.
    /// @param finest  these vertices of the finest graph, in their order; must outlive the result
    /// @param sides   by vertex of the finest graph
    /// Cost: O(edges), of which most is copied.
    [[nodiscard]] Hierarchy of_side(const CsrGraph& finest, std::span<const std::uint8_t> sides,
                                    std::uint8_t side) const;

    /// Returns the number of levels besides the finest one.
    [[nodiscard]] std::size_t num_levels() const { return levels_.size(); }
    [[nodiscard]] const CsrGraph& graph(std::size_t level) const {
        return level == 0 ? *finest_ : levels_[level - 1].graph;
    }
    [[nodiscard]] const CsrGraph& coarsest() const { return graph(levels_.size()); }
    /// Returns by vertex of a level its vertex in the next one.
    [[nodiscard]] const std::vector<std::uint32_t>& coarse_of(std::size_t level) const {
        return levels_[level].coarse_of;
    }
    /// Converts values of a level's vertices into values of the next level's. Vertices that are
    /// joined must have equal values.
    template <class T>
    [[nodiscard]] std::vector<T> to_coarser(std::size_t level, std::span<const T> values) const {
        std::vector<T> coarse(graph(level + 1).num_vertices());
        for (std::size_t v = 0; v < values.size(); ++v) coarse[coarse_of(level)[v]] = values[v];
        return coarse;
    }
    template <class T>
    [[nodiscard]] std::vector<T> to_finer(std::size_t level, std::span<const T> values) const {
        std::vector<T> fine(graph(level).num_vertices());
        for (std::size_t v = 0; v < fine.size(); ++v) fine[v] = values[coarse_of(level)[v]];
        return fine;
    }

private:
    const CsrGraph* finest_;
    std::vector<Coarsened> levels_;
};

}  // namespace commmap
