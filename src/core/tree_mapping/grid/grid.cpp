// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/grid.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <span>

#include "commmap/ids.hpp"
#include "core/tree_mapping/grid/axis_edges.hpp"
#include "core/tree_mapping/grid/grid_points.hpp"
#include "core/tree_mapping/grid/partial_grid.hpp"

namespace commmap {
namespace {

constexpr std::size_t vertices_of_piece = 1024;  ///< vertices that a thread takes at once
constexpr std::size_t most_axis_neighbours = AxisEdges::most_of_vertex;
static_assert(most_axis_neighbours == 2 * Grid::most_dimensions);

/// Returns the opposite direction. Direction 2 * axis goes up, and 2 * axis + 1 goes down.
constexpr std::size_t opposite(std::size_t direction) { return direction ^ 1U; }

class GridFinder {
public:
    explicit GridFinder(const AxisEdges& edges) : edges_(edges) {}

    std::optional<Grid> find(Threads& threads) {
        const auto n = static_cast<std::uint32_t>(edges_.num_vertices());
        const std::size_t most = edges_.most();
        if (most == 0) return std::nullopt;
        neighbour_.assign(std::size_t{n} * most_axis_neighbours, no_id);
        position_.assign(n, {});
        std::vector<std::atomic<std::uint32_t>> claims(n);
        claims_.swap(claims);
        for (std::atomic<std::uint32_t>& claim : claims_)
            claim.store(no_id, std::memory_order_relaxed);
        if (!start(edges_.first_with(most))) return std::nullopt;
        for (std::size_t begin = 0; begin < found_.size();) {
            const std::size_t end = found_.size();
            if (!hand_on(begin, end, threads)) return std::nullopt;
            begin = end;
        }
        if (found_.size() != n || !agrees(threads)) return std::nullopt;
        return grid(n);
    }

private:
    using Position = GridPoint;

    std::uint32_t& towards(std::uint32_t v, std::size_t direction) {
        return neighbour_[v * most_axis_neighbours + direction];
    }

    /// Returns the one common neighbour of a and b besides `other`; no_id: there is none, or
    /// several.
    std::uint32_t corner(std::uint32_t a, std::uint32_t b, std::uint32_t other) const {
        std::uint32_t found = no_id;
        for (const std::uint32_t x : edges_.of(a)) {
            if (x == other || !edges_.adjacent(b, x)) continue;
            if (found != no_id) return no_id;
            found = x;
        }
        return found;
    }

    bool start(std::uint32_t v) {
        const auto pairs = edges_.pairs_around(v);
        if (!pairs) return false;
        for (const AxisEdges::Pair& pair : *pairs) {
            const std::size_t up = 2 * dimensions_++;
            towards(v, up) = pair[0];
            towards(v, opposite(up)) = pair[1];
        }
        claims_[v] = 0;
        found_.push_back(v);
        return true;
    }

    /// Hands directions on from found_[begin .. end), which are all equally far from the start, to
    /// their neighbours. A common neighbour takes its directions from the first of these vertices,
    /// so the result does not depend on the threads.
    bool hand_on(std::size_t begin, std::size_t end, Threads& threads) {
        threads.parallel_for(end - begin, vertices_of_piece,
                             [&](std::size_t first, std::size_t last) {
                                 for (std::size_t at = begin + first; at < begin + last; ++at)
                                     claim_neighbours(at);
                             });
        std::vector<std::vector<std::uint32_t>> found((end - begin) / vertices_of_piece + 1);
        std::atomic<bool> fits{true};
        threads.parallel_for(
            end - begin, vertices_of_piece, [&](std::size_t first, std::size_t last) {
                std::vector<std::uint32_t>& here = found[first / vertices_of_piece];
                for (std::size_t at = begin + first; at < begin + last && fits; ++at)
                    if (!orient_claimed(at, here)) fits = false;
            });
        if (!fits) return false;
        for (const auto& here : found) found_.insert(found_.end(), here.begin(), here.end());
        return true;
    }

    /// Returns the claim of a vertex on its neighbour. It is lower for vertices found earlier.
    static std::uint32_t claim_of(std::size_t at, std::size_t direction) {
        return static_cast<std::uint32_t>(at * most_axis_neighbours + direction);
    }

    void claim_neighbours(std::size_t at) {
        const std::uint32_t v = found_[at];
        for (std::size_t direction = 0; direction < 2 * dimensions_; ++direction) {
            const std::uint32_t u = towards(v, direction);
            if (u == no_id) continue;
            const std::uint32_t claim = claim_of(at, direction);
            std::uint32_t least = claims_[u].load(std::memory_order_relaxed);
            while (claim < least && !claims_[u].compare_exchange_weak(least, claim)) {
            }
        }
    }

    bool orient_claimed(std::size_t at, std::vector<std::uint32_t>& found) {
        const std::uint32_t v = found_[at];
        for (std::size_t direction = 0; direction < 2 * dimensions_; ++direction) {
            const std::uint32_t u = towards(v, direction);
            if (u == no_id || claims_[u] != claim_of(at, direction)) continue;
            if (!orient(u, v, direction)) return false;
            position_[u] = next_to(position_[v], direction);
            found.push_back(u);
        }
        return true;
    }
    static Position next_to(Position position, std::size_t direction) {
        position[direction / 2] += direction % 2 == 0 ? 1 : -1;
        return position;
    }

    /// Returns whether neighbours have each other in opposite directions, and are next to each
    /// other.
    bool agrees(Threads& threads) {
        std::atomic<bool> fits{true};
        const auto look = [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end && fits; ++v)
                if (!agrees(static_cast<std::uint32_t>(v))) fits = false;
        };
        threads.parallel_for(position_.size(), vertices_of_piece, look);
        return fits;
    }
    bool agrees(std::uint32_t v) {
        for (std::size_t direction = 0; direction < 2 * dimensions_; ++direction) {
            const std::uint32_t u = towards(v, direction);
            if (u == no_id) continue;
            if (towards(u, opposite(direction)) != v ||
                !same_point(next_to(position_[v], direction), position_[u], direction / 2))
                return false;
        }
        return true;
    }

    /// Sets the directions of u, which is the neighbour of `from` in a direction.
    /// @return  false: the directions are not clear
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

    /// Returns whether two positions of one vertex agree: on each axis they are equal, or differ by
    /// once around the torus.
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
        std::uint32_t known = 0;
        return period_[axis].compare_exchange_strong(known, length) || known == length;
    }

    std::optional<Grid> grid(std::uint32_t n) {
        std::array<std::uint32_t, Grid::most_dimensions> periods{};
        std::copy(period_.begin(), period_.end(), periods.begin());
        return grid_of_points(position_, dimensions_, periods, n);
    }

    const AxisEdges& edges_;
    std::size_t dimensions_ = 0;
    std::vector<std::uint32_t> neighbour_;  ///< by vertex and direction
    std::vector<Position> position_;        ///< by vertex; the start has position 0
    /// By vertex, the claim_of() of the vertex and the direction that found it first.
    std::vector<std::atomic<std::uint32_t>> claims_;
    std::vector<std::uint32_t> found_;                                        ///< breadth first
    std::array<std::atomic<std::uint32_t>, Grid::most_dimensions> period_{};  ///< 0: none
};

}  // namespace

std::optional<Grid> find_grid(const CsrGraph& graph, Threads& threads) {
    if (graph.num_vertices() < 2) return std::nullopt;
    AxisEdges edges;
    for (const AxisRule rule : {AxisRule::heavy, AxisRule::heaviest, AxisRule::near_by_weight,
                                AxisRule::near_by_likeness}) {
        if (!edges.find(graph, rule, threads)) continue;
        if (std::optional<Grid> grid = GridFinder(edges).find(threads)) return grid;
        if (std::optional<Grid> grid = find_partial_grid(edges)) return grid;
    }
    return std::nullopt;
}

}  // namespace commmap
