#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/tree_mapping/graph/coarsening.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// A graph and what it was coarsened to, again and again: level 0 is the graph itself.
class Hierarchy {
public:
    /// How many vertices become one, at most, from level to level: with four there are half as many
    /// levels, and refinement on the way back takes a third less time and finds a percent less.
    enum class Step { two, four };

    /// Nothing is coarsened yet. finest must outlive the object.
    explicit Hierarchy(const CsrGraph& finest) : finest_(&finest) {}
    /// Coarsened, as coarsen() does it.
    Hierarchy(const CsrGraph& finest, std::uint32_t down_to, Random& random, Step step,
              std::span<const std::uint32_t> labels = {})
        : finest_(&finest) {
        coarsen(down_to, random, step, labels);
    }

    /// Until so few vertices are left: levels that are coarser are dropped, missing ones made.
    /// @param down_to  vertices, at least 1: coarser than that it need not become; no vertex gets
    /// more than one and a half times its share of the ranks, or 2; in inherited levels
    /// it is the share of the whole's
    /// @param labels   by vertex of the finest graph: only equal ones are joined, by twos; none:
    /// all
    /// @pre no labels, or nothing is coarsened yet
    /// Cost: O(edges).
    void coarsen(std::uint32_t down_to, Random& random, Step step,
                 std::span<const std::uint32_t> labels = {});

    /// Of the vertices on one side: what was joined stays so, without those of the other side.
    /// @param finest  these vertices of the finest graph, in their order; must outlive what is
    /// returned
    /// @param sides   by vertex of the finest graph
    /// Levels on which too many vertices came apart are left out.
    /// Cost: O(edges), of which most is copied.
    [[nodiscard]] Hierarchy of_side(const CsrGraph& finest, std::span<const std::uint8_t> sides,
                                    std::uint8_t side) const;

    /// Besides the finest one.
    [[nodiscard]] std::size_t num_levels() const { return levels_.size(); }
    [[nodiscard]] const CsrGraph& graph(std::size_t level) const {
        return level == 0 ? *finest_ : levels_[level - 1].graph;
    }
    [[nodiscard]] const CsrGraph& coarsest() const { return graph(levels_.size()); }
    /// Of the vertices of a level, in the next one.
    [[nodiscard]] const std::vector<std::uint32_t>& coarse_of(std::size_t level) const {
        return levels_[level].coarse_of;
    }
    /// What belongs to the vertices of a level, for those of the next one, where all that are
    /// joined have the same.
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
