#include "core/mapping/grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/base/ids.hpp"

namespace commmap {
namespace {

constexpr float light = 8.0F;  ///< so many times less than the heaviest
constexpr std::size_t most_axis_neighbours = 2 * Grid::most_dimensions;

/// The heavy edges, as rows of equal length.
class HeavyEdges {
public:
    /// False: some vertex has too many.
    bool find(const CsrGraph& graph) {
        const std::uint32_t n = graph.num_vertices();
        std::vector<float> heaviest(n, 0.0F);
        for (std::uint32_t v = 0; v < n; ++v)
            for (const float weight : graph.weights_of(v))
                heaviest[v] = std::max(heaviest[v], weight);
        degree_.assign(n, 0);
        rows_.assign(std::size_t{n} * most_axis_neighbours, no_id);
        for (std::uint32_t v = 0; v < n; ++v) {
            for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                const std::uint32_t u = graph.neighbours[i];
                if (graph.weights[i] * light < std::max(heaviest[v], heaviest[u])) continue;
                if (degree_[v] == most_axis_neighbours) return false;
                rows_[v * most_axis_neighbours + degree_[v]++] = u;
            }
        }
        return true;
    }
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t v) const {
        return {rows_.data() + v * most_axis_neighbours, degree_[v]};
    }
    [[nodiscard]] bool adjacent(std::uint32_t v, std::uint32_t u) const {
        const auto row = of(v);
        return std::find(row.begin(), row.end(), u) != row.end();
    }
    [[nodiscard]] std::size_t most() const {
        return *std::max_element(degree_.begin(), degree_.end());
    }
    [[nodiscard]] std::uint32_t first_with(std::size_t degree) const {
        return static_cast<std::uint32_t>(std::find(degree_.begin(), degree_.end(), degree) -
                                          degree_.begin());
    }

private:
    std::vector<std::uint8_t> degree_;
    std::vector<std::uint32_t> rows_;
};

/// Directions are 2 * axis for up, 2 * axis + 1 for down.
constexpr std::size_t opposite(std::size_t direction) { return direction ^ 1U; }

class GridFinder {
public:
    std::optional<Grid> find(const CsrGraph& graph) {
        const std::uint32_t n = graph.num_vertices();
        if (n < 2 || !edges_.find(graph)) return std::nullopt;
        const std::size_t most = edges_.most();
        if (most == 0 || most % 2 != 0) return std::nullopt;
        dimensions_ = most / 2;
        neighbour_.assign(std::size_t{n} * most_axis_neighbours, no_id);
        position_.assign(n, {});
        known_.assign(n, false);
        if (!start(edges_.first_with(most))) return std::nullopt;
        for (std::size_t next = 0; next < found_.size(); ++next)
            if (!hand_on(found_[next])) return std::nullopt;
        if (found_.size() != n) return std::nullopt;
        return grid(n);
    }

private:
    using Position = std::array<std::int32_t, Grid::most_dimensions>;

    std::uint32_t& towards(std::uint32_t v, std::size_t direction) {
        return neighbour_[v * most_axis_neighbours + direction];
    }

    /// The vertex apart from `other` that two have as a neighbour; no_id: none, or several.
    std::uint32_t corner(std::uint32_t a, std::uint32_t b, std::uint32_t other) const {
        std::uint32_t found = no_id;
        for (const std::uint32_t x : edges_.of(a)) {
            if (x == other || !edges_.adjacent(b, x)) continue;
            if (found != no_id) return no_id;
            found = x;
        }
        return found;
    }

    /// Pairs its neighbours: two on one axis have no square.
    bool start(std::uint32_t v) {
        const auto row = edges_.of(v);
        std::vector<bool> paired(row.size(), false);
        std::size_t direction = 0;
        for (std::size_t a = 0; a < row.size(); ++a) {
            if (paired[a]) continue;
            std::size_t across = row.size();
            for (std::size_t b = a + 1; b < row.size(); ++b) {
                if (paired[b] || has_square(row[a], row[b], v)) continue;
                if (across != row.size()) return false;
                across = b;
            }
            if (across == row.size()) return false;
            paired[across] = true;
            towards(v, direction++) = row[a];
            towards(v, direction++) = row[across];
        }
        known_[v] = true;
        found_.push_back(v);
        return true;
    }
    [[nodiscard]] bool has_square(std::uint32_t a, std::uint32_t b, std::uint32_t other) const {
        const auto row = edges_.of(a);
        return std::any_of(row.begin(), row.end(),
                           [&](std::uint32_t x) { return x != other && edges_.adjacent(b, x); });
    }

    /// Gives the neighbours of a vertex whose directions are known theirs.
    bool hand_on(std::uint32_t v) {
        for (std::size_t direction = 0; direction < 2 * dimensions_; ++direction) {
            const std::uint32_t u = towards(v, direction);
            if (u == no_id) continue;
            Position position = position_[v];
            position[direction / 2] += direction % 2 == 0 ? 1 : -1;
            if (!known_[u]) {
                if (!orient(u, v, direction)) return false;
                position_[u] = position;
                known_[u] = true;
                found_.push_back(u);
            } else if (towards(u, opposite(direction)) != v ||
                       !same_point(position, position_[u], direction / 2)) {
                return false;
            }
        }
        return true;
    }

    /// Of a vertex that `from` has in a direction.
    bool orient(std::uint32_t u, std::uint32_t from, std::size_t direction) {
        towards(u, opposite(direction)) = from;
        std::size_t assigned = 1;
        for (std::size_t side = 0; side < 2 * dimensions_; ++side) {
            if (side / 2 == direction / 2) continue;
            const std::uint32_t w = towards(from, side);
            if (w == no_id) continue;
            const std::uint32_t x = corner(u, w, from);
            if (x == no_id) return false;
            towards(u, side) = x;
            ++assigned;
        }
        const auto row = edges_.of(u);
        if (row.size() == assigned) return true;  // the grid ends here
        if (row.size() != assigned + 1) return false;
        for (const std::uint32_t x : row) {
            bool taken = false;
            for (std::size_t side = 0; side < 2 * dimensions_; ++side)
                taken = taken || towards(u, side) == x;
            if (!taken) towards(u, direction) = x;
        }
        return towards(u, direction) != no_id;
    }

    /// Two ways to one vertex differ by nothing, or once around the torus.
    bool same_point(const Position& a, const Position& b, std::size_t axis) {
        for (std::size_t other = 0; other < dimensions_; ++other)
            if (other != axis && a[other] != b[other] &&
                !around(std::abs(a[other] - b[other]), other))
                return false;
        const auto apart = static_cast<std::uint32_t>(std::abs(a[axis] - b[axis]));
        return apart == 0 || around(static_cast<std::int32_t>(apart), axis);
    }
    bool around(std::int32_t apart, std::size_t axis) {
        const auto length = static_cast<std::uint32_t>(apart);
        if (period_[axis] == 0) period_[axis] = length;
        return length == period_[axis];
    }

    std::optional<Grid> grid(std::uint32_t n) {
        Grid result;
        result.dimensions = dimensions_;
        std::uint64_t points = 1;
        Position low{};
        for (std::size_t axis = 0; axis < dimensions_; ++axis) {
            std::int32_t high = 0;
            for (const Position& position : position_) {
                low[axis] = std::min(low[axis], position[axis]);
                high = std::max(high, position[axis]);
            }
            result.periodic[axis] = period_[axis] != 0;
            result.sides[axis] = result.periodic[axis]
                                     ? period_[axis]
                                     : static_cast<std::uint32_t>(high - low[axis] + 1);
            points *= result.sides[axis];
        }
        if (points != n) return std::nullopt;
        result.of_vertex.resize(n);
        std::vector<bool> taken(n, false);
        for (std::uint32_t v = 0; v < n; ++v) {
            std::size_t number = 0;
            Grid::Coordinates& point = result.of_vertex[v];
            for (std::size_t axis = 0; axis < dimensions_; ++axis) {
                point[axis] =
                    static_cast<std::uint32_t>(position_[v][axis] - low[axis]) % result.sides[axis];
                number = number * result.sides[axis] + point[axis];
            }
            if (taken[number]) return std::nullopt;
            taken[number] = true;
        }
        return result;
    }

    HeavyEdges edges_;
    std::size_t dimensions_ = 0;
    std::vector<std::uint32_t> neighbour_;  ///< by vertex and direction
    std::vector<Position> position_;        ///< the start at 0
    std::vector<bool> known_;
    std::vector<std::uint32_t> found_;  ///< breadth first
    std::array<std::uint32_t, Grid::most_dimensions> period_{};
};

}  // namespace

std::optional<Grid> find_grid(const CsrGraph& graph) { return GridFinder().find(graph); }

}  // namespace commmap
