// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/partial_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "commmap/ids.hpp"
#include "core/tree_mapping/grid/grid_points.hpp"

namespace commmap {
namespace {

constexpr std::size_t most_starts = 32;
constexpr std::uint64_t emptiest = 8;  ///< most points of the bounding box for each vertex

using Position = GridPoint;

/// A set of directions, one bit for each. Direction 2 * axis goes up, and 2 * axis + 1 goes down.
using Directions = std::uint32_t;
constexpr Directions up_and_down = 3;

class PartialGridFinder {
public:
    explicit PartialGridFinder(const AxisEdges& edges) : edges_(edges) {}

    std::optional<Grid> find() {
        if (!start()) return std::nullopt;
        do spread();
        while (place_straight_on());
        if (num_known_ != known_.size() || !agrees()) return std::nullopt;
        return grid();
    }

private:
    /// Gives position 0 to a vertex with the most neighbours, and positions to its neighbours.
    bool start() {
        const std::size_t n = edges_.num_vertices();
        const std::size_t most = n == 0 ? 0 : edges_.most();
        if (most < 3) return false;  // a line has no squares
        std::size_t tried = 0;
        for (std::uint32_t v = 0; v < n && tried < most_starts; ++v) {
            if (edges_.of(v).size() != most) continue;
            ++tried;
            const auto pairs = edges_.pairs_around(v);
            if (!pairs) continue;
            start_at(v, *pairs);
            return true;
        }
        return false;
    }
    void start_at(std::uint32_t v, const std::vector<AxisEdges::Pair>& pairs) {
        known_.assign(edges_.num_vertices(), false);
        position_.assign(edges_.num_vertices(), {});
        dimensions_ = pairs.size();
        set(v, {});
        for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
            Position position{};
            position[axis] = 1;
            set(pairs[axis][0], position);
            position[axis] = -1;
            if (pairs[axis][1] != no_id) set(pairs[axis][1], position);
        }
        is_asked_.assign(edges_.num_vertices(), false);
        for (const std::uint32_t u : edges_.of(v)) ask(u);
    }

    /// Gives u, a neighbour of v, its position.
    /// @return  false: the position is not clear yet
    bool place(std::uint32_t u, std::uint32_t v) {
        Directions left = (Directions{1} << (2 * dimensions_)) - 1;
        for (const std::uint32_t w : edges_.of(v)) {
            if (!known_[w]) continue;
            const std::size_t direction = direction_of(v, w);
            if (direction == no_direction) return false;  // find() refuses such positions later
            left &= ~(Directions{1} << direction);
            const std::uint32_t x = edges_.fourth(v, w, u);
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

    /// Asks all vertices with positions for their neighbours' positions.
    void spread() {
        for (; next_asked_ < asked_.size(); ++next_asked_) {
            const std::uint32_t v = asked_[next_asked_];
            is_asked_[v] = false;
            bool all = true;
            for (const std::uint32_t u : edges_.of(v)) {
                if (known_[u]) continue;
                if (place(u, v))
                    tell(u);
                else
                    all = false;
            }
            if (!all) waiting_.push_back(v);
        }
    }

    /// Asks the vertices at most two steps away from u: only they can use the new position of u.
    void tell(std::uint32_t u) {
        ask(u);
        for (const std::uint32_t w : edges_.of(u)) {
            ask(w);
            for (const std::uint32_t x : edges_.of(w)) ask(x);
        }
    }
    void ask(std::uint32_t v) {
        if (!known_[v] || is_asked_[v]) return;
        is_asked_[v] = true;
        asked_.push_back(v);
    }

    /// Places one dangling vertex straight on. No square says in which of several directions such a
    /// vertex lies.
    /// @return  false: no dangling vertex is left, or none has room straight on
    bool place_straight_on() {
        for (; next_waiting_ < waiting_.size(); ++next_waiting_) {
            const std::uint32_t v = waiting_[next_waiting_];
            for (const std::uint32_t u : edges_.of(v)) {
                if (known_[u] || !place_straight_on(u, v)) continue;
                tell(u);
                return true;
            }
        }
        return false;
    }
    bool place_straight_on(std::uint32_t u, std::uint32_t v) {
        const auto row = edges_.of(v);
        for (const std::uint32_t w : row) {
            if (!known_[w]) continue;
            Position position = position_[v];
            for (std::size_t axis = 0; axis < dimensions_; ++axis)
                position[axis] += position_[v][axis] - position_[w][axis];
            const bool is_taken = std::any_of(row.begin(), row.end(), [&](std::uint32_t x) {
                return known_[x] && position_[x] == position;
            });
            if (is_taken) continue;
            set(u, position);
            return true;
        }
        return false;
    }

    static constexpr std::size_t no_direction = 2 * Grid::most_dimensions;
    /// Returns the direction from a to b; no_direction: they are not next to each other.
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
        std::optional<Grid> result =
            grid_of_points(position_, dimensions_, {}, emptiest * position_.size());
        if (result) result->full = false;
        return result;
    }

    const AxisEdges& edges_;
    std::size_t dimensions_ = 0;
    std::vector<bool> known_;  ///< by vertex, whether it has a position
    std::vector<Position> position_;
    std::size_t num_known_ = 0;
    std::vector<std::uint32_t> asked_;  ///< queue of known vertices to ask, from next_asked_ on
    std::size_t next_asked_ = 0;
    std::vector<bool> is_asked_;          ///< by vertex, whether it is in that queue
    std::vector<std::uint32_t> waiting_;  ///< asked vertices with neighbours without a position
    std::size_t next_waiting_ = 0;
};

}  // namespace

std::optional<Grid> find_partial_grid(const AxisEdges& edges) {
    return PartialGridFinder(edges).find();
}

}  // namespace commmap
