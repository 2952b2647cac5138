// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/process_grid.hpp"

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "common/bench_program.hpp"
#include "common/message.hpp"

namespace commmap::bench {
namespace {

std::vector<int> read_shape(const std::string& text) {
    std::vector<int> shape;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        int extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 1) {
            return {};
        }
        shape.push_back(extent);
        if (next == end) {
            return shape;
        }
        if (*next != 'x') {
            return {};
        }
        at = next + 1;
    }
}

}  // namespace

std::vector<int> seeded_permutation(int count, std::uint64_t seed) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (seed == 0) {
        return order;
    }
    // Fisher-Yates by hand: std::shuffle may differ between standard libraries.
    std::uint64_t state = seed;
    for (std::size_t i = order.size(); i > 1; --i) {
        state = mix(state);
        std::swap(order[i - 1], order[state % i]);
    }
    return order;
}

ProcessGrid::ProcessGrid(int ranks, int dimensions, const std::string& shape,
                         std::uint64_t scramble)
    : shape_(static_cast<std::size_t>(dimensions), 0),
      cell_of_rank_(seeded_permutation(ranks, scramble)),
      rank_of_cell_(static_cast<std::size_t>(ranks)) {
    if (shape.empty()) {
        MPI_Dims_create(ranks, dimensions, shape_.data());
    } else {
        shape_ = read_shape(shape);
        if (shape_.size() != static_cast<std::size_t>(dimensions)) {
            throw UsageError("--grid '" + shape + "' does not name " + std::to_string(dimensions) +
                             " extents (example: " + (dimensions == 2 ? "4x4" : "2x2x4") + ")");
        }
        std::int64_t cells = 1;
        for (const int extent : shape_) {
            cells = std::min<std::int64_t>(cells * extent, std::int64_t{1} << 31U);
        }
        if (cells != ranks) {
            throw UsageError("--grid " + shape + " has " + std::to_string(cells) +
                             " cells, but the job has " + std::to_string(ranks) + " ranks");
        }
    }
    for (int rank = 0; rank < ranks; ++rank) {
        rank_of_cell_[static_cast<std::size_t>(cell_of_rank_[static_cast<std::size_t>(rank)])] =
            rank;
    }
}

int ProcessGrid::neighbour(int rank, int dimension, int step, bool periodic) const {
    const int cell = cell_of_rank_[static_cast<std::size_t>(rank)];
    int stride = 1;
    for (std::size_t d = shape_.size() - 1; d > static_cast<std::size_t>(dimension); --d) {
        stride *= shape_[d];
    }
    const int extent = shape_[static_cast<std::size_t>(dimension)];
    const int here = cell / stride % extent;
    int there = here + step;
    if (periodic) {
        there = (there + extent) % extent;
    }
    if (there < 0 || there >= extent || there == here) {
        return -1;
    }
    return rank_of_cell_[static_cast<std::size_t>(cell + (there - here) * stride)];
}

}  // namespace commmap::bench
