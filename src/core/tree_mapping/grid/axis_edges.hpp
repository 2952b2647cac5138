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

/// Which edges of a graph go along an axis, should it turn out to be a grid.
enum class AxisRule : unsigned char {
    /// Those that weigh at least an eighth of the heaviest at either end.
    heavy,
    /// Those that weigh as much as the heaviest at either end, or a tenth less: not those of a
    /// second, lighter field that goes several points far along the same axes.
    heaviest,
    /// Those between two vertices without a third one that is closer to both of them: the relative
    /// neighbourhood graph. Heavier is closer, and of edges that weigh the same within a tenth
    /// those between vertices that have more neighbours in common.
    near_by_weight,
    /// The same, but more neighbours in common are closer, whatever the edges weigh.
    near_by_likeness,
};

/// The edges along axes, as rows of equal length.
///
/// In a stencil of faces, edges and corners the way across an edge is two ways across faces, and
/// both of these are closer: they weigh more, or the points have more neighbours in common.
/// Source: relative neighbourhoods: Toussaint, "The relative neighbourhood graph of a finite planar
/// set", Pattern Recognition 12, 1980.
class AxisEdges {
public:
    static constexpr std::size_t most_of_vertex = 12;  ///< two for each of six axes
    /// Of a point of a stencil in four dimensions.
    static constexpr std::size_t most_neighbours = 80;

    /// False: some vertex has too many. Cost: heavy O(edges), else O(edges * neighbours), the
    /// second time half of that.
    /// @param graph  the same each time
    bool find(const CsrGraph& graph, AxisRule rule, Threads& threads);

    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t v) const {
        return {rows_.data() + v * most_of_vertex, degree_[v]};
    }
    [[nodiscard]] bool adjacent(std::uint32_t v, std::uint32_t u) const {
        const auto row = of(v);
        return std::find(row.begin(), row.end(), u) != row.end();
    }
    /// The fourth corner of a square: a vertex beside a and b that is not v; no_id: there is none.
    [[nodiscard]] std::uint32_t fourth(std::uint32_t v, std::uint32_t a, std::uint32_t b) const {
        for (const std::uint32_t x : of(a))
            if (x != v && adjacent(b, x)) return x;
        return no_id;
    }
    /// Two neighbours of a vertex on one axis; the second one is no_id at the end of an axis.
    using Pair = std::array<std::uint32_t, 2>;
    /// The axes at a vertex that has neighbours on all of them: two neighbours on one axis make no
    /// square, two on different ones do. None: that is not clear.
    [[nodiscard]] std::optional<std::vector<Pair>> pairs_around(std::uint32_t v) const;
    [[nodiscard]] std::size_t num_vertices() const { return degree_.size(); }
    [[nodiscard]] std::size_t most() const {
        return *std::max_element(degree_.begin(), degree_.end());
    }
    [[nodiscard]] std::uint32_t first_with(std::size_t degree) const {
        return static_cast<std::uint32_t>(std::find(degree_.begin(), degree_.end(), degree) -
                                          degree_.begin());
    }

private:
    /// @param lighter  an edge counts whose weight, times this, is at least that of the heaviest
    /// edge at either end
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

    /// By end of an edge, how alike the neighbours of both ends are; all of them if compared_.
    std::vector<float> likeness_;
    bool compared_ = false;
    std::vector<std::uint8_t> degree_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace commmap
