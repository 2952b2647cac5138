// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// Rules that say which edges of a graph go along an axis, should the graph be a grid.
enum class AxisRule : unsigned char {
    /// Edges that weigh at least an eighth of the heaviest edge at either end.
    heavy,
    /// Edges that weigh as much as the heaviest edge at either end, or a tenth less.
    /// This leaves out a second, lighter field that goes several points far along the same axes.
    heaviest,
    /// Edges between two vertices without a third vertex that is closer to both of them: the
    /// relative neighbourhood graph.
    /// Heavier is closer. Among edges of equal weight (within a tenth), those between vertices with
    /// more common neighbours are closer.
    near_by_weight,
    /// The same rule, but vertices with more common neighbours are closer, whatever the edges
    /// weigh.
    near_by_likeness,
};

/// Finds the edges of a grid along its axes, and keeps them as rows of equal length.
///
/// In a stencil of faces, edges and corners, the way across an edge is two ways across faces. Both
/// of these are closer: they weigh more, or the points have more common neighbours.
/// Source: relative neighbourhoods: Toussaint, "The relative neighbourhood graph of a finite planar
/// set", Pattern Recognition 12, 1980.
class AxisEdges {
public:
    static constexpr std::size_t most_of_vertex = 12;  ///< two for each of six axes
    /// Most neighbours of a point of a stencil in four dimensions.
    static constexpr std::size_t most_neighbours = 80;

    /// Finds the edges along axes. Returns false when some vertex has too many.
    /// @param graph  the same each time
    /// Cost: heavy O(edges), else O(edges * neighbours), the second time half of that.
    bool find(const CsrGraph& graph, AxisRule rule, Threads& threads);

    /// Returns the neighbours of a vertex along the axes.
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t v) const {
        return {rows_.data() + v * most_of_vertex, degree_[v]};
    }
    /// Tells whether an edge along an axis joins two vertices.
    [[nodiscard]] bool adjacent(std::uint32_t v, std::uint32_t u) const {
        const auto row = of(v);
        return std::find(row.begin(), row.end(), u) != row.end();
    }
    /// Returns the fourth corner of a square: a vertex beside a and b that is not v; no_id: there
    /// is none.
    [[nodiscard]] std::uint32_t fourth(std::uint32_t v, std::uint32_t a, std::uint32_t b) const {
        for (const std::uint32_t x : of(a))
            if (x != v && adjacent(b, x)) return x;
        return no_id;
    }
    /// Two neighbours of a vertex on one axis; the second one is no_id at the end of an axis.
    using Pair = std::array<std::uint32_t, 2>;
    /// Returns the axes at a vertex that has neighbours on all of them. Two neighbours on one axis
    /// make no square, two on different axes do.
    /// None: the axes are not clear.
    [[nodiscard]] std::optional<std::vector<Pair>> pairs_around(std::uint32_t v) const;
    [[nodiscard]] std::size_t num_vertices() const { return degree_.size(); }
    /// Returns the largest number of such neighbours that a vertex has.
    [[nodiscard]] std::size_t most() const {
        return *std::max_element(degree_.begin(), degree_.end());
    }
    /// Returns the first vertex with so many neighbours along the axes; num_vertices(): there is
    /// none.
    [[nodiscard]] std::uint32_t first_with(std::size_t degree) const {
        return static_cast<std::uint32_t>(std::find(degree_.begin(), degree_.end(), degree) -
                                          degree_.begin());
    }

private:
    /// @param lighter  an edge counts if its weight, times this factor, is at least that of the
    ///                 heaviest edge at either end
    bool find_heavy(const CsrGraph& graph, float lighter, Threads& threads);
    bool find_near(const CsrGraph& graph, bool by_weight, Threads& threads);
    void clear(std::size_t num_vertices) {
        degree_.assign(num_vertices, 0);
        rows_.resize(num_vertices * most_of_vertex);
    }
    bool add(std::size_t v, std::uint32_t neighbour) {
        if (degree_[v] == most_of_vertex) return false;
        rows_[v * most_of_vertex + degree_[v]++] = neighbour;
        return true;
    }

    /// Likeness of the neighbours of an edge's two ends, for each end of an edge; complete if
    /// compared_.
    std::vector<float> likeness_;
    bool compared_ = false;
    std::vector<std::uint8_t> degree_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace commmap
