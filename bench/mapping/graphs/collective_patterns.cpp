// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/collective_patterns.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "graphs/grid_sides.hpp"
#include "graphs/stencil.hpp"
#include "input_error.hpp"

namespace commmap::bench {
namespace {

constexpr std::uint32_t max_alltoall_ranks = 2048;
constexpr std::uint32_t max_transpose_partners = 62;

unsigned log2_of_ranks(std::uint32_t ranks) {
    if (!std::has_single_bit(ranks))
        throw InputError("this kind needs a power of two of ranks, not " + std::to_string(ranks));
    return static_cast<unsigned>(std::bit_width(ranks)) - 1U;
}

struct Plane {
    std::uint32_t rows = 1;
    std::uint32_t columns = 1;
};

Plane largest_plane(std::uint32_t ranks) {
    Plane best;
    for (const std::uint32_t columns : divisors(ranks)) {
        if (columns - 1 > max_transpose_partners) break;
        for (const std::uint32_t rows : divisors(ranks / columns)) {
            // a later plane of the same size is never more equal: columns only grow
            if (rows + columns - 2 > max_transpose_partners || rows < columns) continue;
            const std::uint32_t size = rows * columns;
            const std::uint32_t best_size = best.rows * best.columns;
            if (size > best_size || (size == best_size && columns > best.columns))
                best = {rows, columns};
        }
    }
    return best;
}

}  // namespace

std::vector<Edge> cg_edges(const InstanceOptions& options) {
    const std::uint32_t rows = 1U << (log2_of_ranks(options.ranks) / 2U);
    const std::uint32_t columns = options.ranks / rows;
    std::vector<Edge> edges;
    const auto exchange = [&](std::uint32_t rank, std::uint32_t partner) {
        if (rank < partner) edges.push_back({rank, partner, options.weight});
    };
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
        for (std::uint32_t distance = columns / 2; distance > 0; distance /= 2)
            exchange(rank, rank ^ distance);
        const std::uint32_t together = columns / rows;  // 2:1: pairs of columns are transposed
        const std::uint32_t group = rank / together;
        exchange(rank, together * (group % rows * rows + group / rows) + rank % together);
    }
    return edges;
}

std::vector<Edge> pencils_edges(const InstanceOptions& options) {
    const auto [rows, columns] = largest_plane(options.ranks);
    const std::uint32_t plane = rows * columns;
    std::vector<Edge> edges;
    edges.reserve(std::size_t{options.ranks} * (rows + columns) / 2);
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
        const std::uint32_t end_of_row = rank - rank % columns + columns;
        const std::uint32_t end_of_plane = rank - rank % plane + plane;
        for (std::uint32_t to = rank + 1; to < end_of_row; ++to)
            edges.push_back({rank, to, options.weight});
        for (std::uint32_t to = rank + columns; to < end_of_plane; to += columns)
            edges.push_back({rank, to, options.weight});
        if (end_of_plane < options.ranks) edges.push_back({rank, rank + plane, options.weight});
    }
    return edges;
}

std::vector<Edge> hypercube_edges(const InstanceOptions& options) {
    const unsigned dimensions = log2_of_ranks(options.ranks);
    std::vector<Edge> edges;
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank)
        for (unsigned bit = 0; bit < dimensions; ++bit)
            if ((rank >> bit & 1U) == 0) edges.push_back({rank, rank | 1U << bit, options.weight});
    return edges;
}

std::vector<Edge> butterfly_edges(const InstanceOptions& options) {
    std::vector<Edge> edges = hypercube_edges(options);
    for (Edge& edge : edges) edge.weight *= options.ranks / 2 / (edge.from ^ edge.to);
    return edges;
}

std::vector<Edge> alltoall_edges(const InstanceOptions& options) {
    if (options.ranks > max_alltoall_ranks)
        throw InputError("alltoall has at most " + std::to_string(max_alltoall_ranks) +
                         " ranks, not " + std::to_string(options.ranks));
    std::vector<Edge> edges;
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank)
        for (std::uint32_t to = rank + 1; to < options.ranks; ++to)
            edges.push_back({rank, to, options.weight});
    return edges;
}

std::vector<Edge> isolated_edges(const InstanceOptions& options) {
    if (options.ranks < 2) return {};
    return stencil_edges(make_stencil("stencil2d5", options.ranks / 2, options.weight).value());
}

}  // namespace commmap::bench
