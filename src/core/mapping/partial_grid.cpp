#include "core/mapping/partial_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "core/base/ids.hpp"

namespace commmap {
namespace {

constexpr std::size_t most_starts = 32;
constexpr std::uint64_t emptiest = 8;  ///< points of the bounding box, for each vertex

using Position = std::array<std::int32_t, Grid::most_dimensions>;

/// Direction 2 * axis goes up, 2 * axis + 1 down.
using Directions = std::uint32_t;  ///< one bit for each
constexpr Directions up_and_down = 3;

class PartialGridFinder {
public:
    explicit PartialGridFinder(const AxisEdges& edges) : edges_(edges) {}

    std::optional<Grid> find() {
        if (!start()) return std::nullopt;
        // What found no position for a neighbour is asked again, until nothing changes.
        while (!waiting_.empty()) {
            std::vector<std::uint32_t> asked;
            asked.swap(waiting_);
            const std::size_t before = num_known_;
            for (std::size_t i = 0; i < asked.size(); ++i) {
                const std::uint32_t v = asked[i];
                bool all = true;
                for (const std::uint32_t u : edges_.of(v)) {
                    if (known_[u]) continue;
                    if (place(u, v))
                        asked.push_back(u);
                    else
                        all = false;
                }
                if (!all) waiting_.push_back(v);
            }
            // What dangles may lie in several ways: straight on is one.
            if (num_known_ == before && !place_straight_on()) break;
        }
        if (num_known_ != known_.size() || !agrees()) return std::nullopt;
        return grid();
    }

private:
    /// A vertex with neighbours on all sides gets position 0, they get theirs.
    bool start() {
        const std::size_t n = edges_.num_vertices();
        const std::size_t most = n == 0 ? 0 : edges_.most();
        if (most < 3) return false;  // a line has no squares
        std::size_t tried = 0;
        for (std::uint32_t v = 0; v < n && tried < most_starts; ++v) {
            if (edges_.of(v).size() != most) continue;
            ++tried;
            known_.assign(n, false);
            position_.assign(n, {});
            num_known_ = dimensions_ = 0;
            if (!start_at(v)) continue;
            waiting_.assign(edges_.of(v).begin(), edges_.of(v).end());
            return true;
        }
        return false;
    }
    /// Two neighbours on one axis make no square. @return false: pairs are not clear
    bool start_at(std::uint32_t v) {
        const auto row = edges_.of(v);
        std::vector<bool> paired(row.size(), false);
        set(v, {});
        for (std::size_t a = 0; a < row.size(); ++a) {
            if (paired[a]) continue;
            if (dimensions_ == Grid::most_dimensions) return false;
            std::size_t across = row.size();
            for (std::size_t b = a + 1; b < row.size(); ++b) {
                if (paired[b] || fourth(v, row[a], row[b]) != no_id) continue;
                if (across != row.size()) return false;
                across = b;
            }
            Position position{};
            position[dimensions_] = 1;
            set(row[a], position);
            if (across != row.size()) {
                paired[across] = true;
                position[dimensions_] = -1;
                set(row[across], position);
            }
            ++dimensions_;
        }
        return true;
    }

    /// The vertex beside both a and b that is not v; no_id: there is none.
    [[nodiscard]] std::uint32_t fourth(std::uint32_t v, std::uint32_t a, std::uint32_t b) const {
        for (const std::uint32_t x : edges_.of(a))
            if (x != v && edges_.adjacent(b, x)) return x;
        return no_id;
    }

    /// Gives u, a neighbour of v, its position. @return false: it is not clear yet
    bool place(std::uint32_t u, std::uint32_t v) {
        Directions left = (Directions{1} << (2 * dimensions_)) - 1;
        for (const std::uint32_t w : edges_.of(v)) {
            if (!known_[w]) continue;
            const std::size_t direction = direction_of(v, w);
            if (direction == no_direction) return false;  // it does not agree: find() sees that
            left &= ~(Directions{1} << direction);
            const std::uint32_t x = fourth(v, w, u);
            if (x == no_id) continue;
            left &= ~(up_and_down << (direction & ~std::size_t{1}));
            if (!known_[x]) continue;
            Position position = position_[v];
            for (std::size_t axis = 0; axis < dimensions_; ++axis)
                position[axis] += position_[x][axis] - position_[w][axis];
            set(u, position);
            return true;
        }
        if (left == 0 || (left & (left - 1)) != 0) return false;
        Position position = position_[v];
        for (std::size_t axis = 0; axis < dimensions_; ++axis) {
            if (left == Directions{1} << (2 * axis)) ++position[axis];
            if (left == Directions{2} << (2 * axis)) --position[axis];
        }
        set(u, position);
        return true;
    }

    /// One neighbour of those that wait. @return false: there is none with room straight on
    bool place_straight_on() {
        for (const std::uint32_t v : waiting_) {
            for (const std::uint32_t u : edges_.of(v)) {
                if (known_[u]) continue;
                for (const std::uint32_t w : edges_.of(v)) {
                    if (!known_[w]) continue;
                    Position position = position_[v];
                    for (std::size_t axis = 0; axis < dimensions_; ++axis)
                        position[axis] += position_[v][axis] - position_[w][axis];
                    const auto row = edges_.of(v);
                    if (std::any_of(row.begin(), row.end(), [&](std::uint32_t x) {
                            return known_[x] && position_[x] == position;
                        }))
                        continue;
                    set(u, position);
                    waiting_.push_back(u);
                    return true;
                }
            }
        }
        return false;
    }

    static constexpr std::size_t no_direction = 2 * Grid::most_dimensions;
    /// From a to b, if they are next to each other.
    [[nodiscard]] std::size_t direction_of(std::uint32_t a, std::uint32_t b) const {
        std::size_t direction = no_direction;
        for (std::size_t axis = 0; axis < dimensions_; ++axis) {
            const std::int32_t step = position_[b][axis] - position_[a][axis];
            if (step == 0) continue;
            if (std::abs(step) != 1 || direction != no_direction) return no_direction;
            direction = 2 * axis + (step > 0 ? 0 : 1);
        }
        return direction;
    }

    void set(std::uint32_t v, const Position& position) {
        known_[v] = true;
        position_[v] = position;
        ++num_known_;
    }

    [[nodiscard]] bool agrees() const {
        for (std::uint32_t v = 0; v < position_.size(); ++v)
            for (const std::uint32_t u : edges_.of(v))
                if (direction_of(v, u) == no_direction) return false;
        return true;
    }

    [[nodiscard]] std::optional<Grid> grid() const {
        Grid result;
        result.full = false;
        result.dimensions = dimensions_;
        Position low{};
        std::uint64_t points = 1;
        for (std::size_t axis = 0; axis < dimensions_; ++axis) {
            std::int32_t high = 0;
            for (const Position& position : position_) {
                low[axis] = std::min(low[axis], position[axis]);
                high = std::max(high, position[axis]);
            }
            result.sides[axis] = static_cast<std::uint32_t>(high - low[axis]) + 1;
            points *= result.sides[axis];
            if (points > emptiest * position_.size()) return std::nullopt;
        }
        result.of_vertex.resize(position_.size());
        std::vector<bool> taken(points, false);
        for (std::size_t v = 0; v < position_.size(); ++v) {
            std::size_t number = 0;
            for (std::size_t axis = 0; axis < dimensions_; ++axis) {
                const auto at = static_cast<std::uint32_t>(position_[v][axis] - low[axis]);
                result.of_vertex[v][axis] = at;
                number = number * result.sides[axis] + at;
            }
            if (taken[number]) return std::nullopt;
            taken[number] = true;
        }
        return result;
    }

    const AxisEdges& edges_;
    std::size_t dimensions_ = 0;
    std::vector<bool> known_;  ///< by vertex, whether it has a position
    std::vector<Position> position_;
    std::size_t num_known_ = 0;
    std::vector<std::uint32_t> waiting_;  ///< known, with neighbours that are not
};

}  // namespace

std::optional<Grid> find_partial_grid(const AxisEdges& edges) {
    return PartialGridFinder(edges).find();
}

}  // namespace commmap
