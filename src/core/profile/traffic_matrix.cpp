// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/traffic_matrix.hpp"

#include <algorithm>

#include "core/base/reduce_by_key.hpp"

namespace commmap {
namespace {

bool by_key(const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); }

/// Adds two counts, and stays at the largest number instead of wrapping round. A sum of 0 would
/// make an impossible cell, and counts may come from memory that the program has overwritten.
std::uint64_t at_most_all(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void add_cell(TrafficCell& to, const TrafficCell& from) {
    to.count = at_most_all(to.count, from.count);
    to.bytes = at_most_all(to.bytes, from.bytes);
}

}  // namespace

TrafficMatrix::TrafficMatrix(const std::vector<std::vector<TrafficCell>>& rows) {
    for (const auto& row : rows) add_row(row);
}

void TrafficMatrix::reserve(std::size_t num_ranks, std::size_t num_cells) {
    ends_.reserve(num_ranks);
    cells_.reserve(num_cells);
}

void TrafficMatrix::add_row(std::span<const TrafficCell> cells) {
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    ends_.push_back(cells_.size());
}

std::span<TrafficCell> TrafficMatrix::make_row(std::size_t num_cells) {
    const std::size_t begin = cells_.size();
    cells_.resize(begin + num_cells);
    ends_.push_back(cells_.size());
    return std::span(cells_).subspan(begin);
}

TrafficSum sum_of(std::span<const TrafficCell> cells) {
    TrafficSum sum;
    for (const TrafficCell& cell : cells) {
        sum.count += cell.count;
        sum.bytes += cell.bytes;
    }
    return sum;
}

std::vector<PeerSum> peers_of(std::span<const TrafficCell> row) {
    std::vector<PeerSum> peers;
    for (const TrafficCell& cell : row) {
        if (peers.empty() || peers.back().peer != cell.peer) peers.push_back({cell.peer, 0, 0});
        peers.back().count += cell.count;
        peers.back().bytes += cell.bytes;
    }
    return peers;
}

std::size_t reduce_by_key(std::span<TrafficCell> cells) {
    std::sort(cells.begin(), cells.end(), by_key);
    return reduce_by_key(cells, &TrafficCell::key, add_cell);
}

void add_row(std::vector<TrafficCell>& to, std::span<const TrafficCell> from) {
    const auto middle = static_cast<std::ptrdiff_t>(to.size());
    to.insert(to.end(), from.begin(), from.end());
    std::inplace_merge(to.begin(), to.begin() + middle, to.end(), by_key);
    to.resize(reduce_by_key(std::span(to), &TrafficCell::key, add_cell));
}

TrafficMatrix sum_of(std::span<const TrafficMatrix* const> matrices, std::size_t num_ranks) {
    TrafficMatrix sum;
    std::vector<TrafficCell> row;
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
        row.clear();
        for (const TrafficMatrix* matrix : matrices)
            add_row(row, matrix->sent_by(static_cast<RankId>(rank)));
        sum.add_row(row);
    }
    return sum;
}

}  // namespace commmap
