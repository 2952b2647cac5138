// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/size_bucket.hpp"

namespace commmap {

/// Messages of one size bucket from one rank to another, as a cell of the sender's row.
struct TrafficCell {
    RankId peer = 0;
    std::uint32_t bucket = 0;  ///< < num_size_buckets
    std::uint64_t count = 0;   ///< messages, > 0
    std::uint64_t bytes = 0;   ///< of all these messages together
    auto operator<=>(const TrafficCell&) const = default;
    /// Orders the cells of a row: by peer, then by bucket.
    [[nodiscard]] std::uint64_t key() const {
        return std::uint64_t{peer} * num_size_buckets + bucket;
    }
};

/// The traffic between all ranks: for each sender a row of cells, sorted by key(), rows end to end
/// (CSR). Ranks are those of MPI_COMM_WORLD.
/// Memory: 24 bytes a cell, 8 a rank.
class TrafficMatrix {
public:
    TrafficMatrix() = default;
    /// Makes a matrix from rows, for tests and made-up profiles.
    explicit TrafficMatrix(const std::vector<std::vector<TrafficCell>>& rows);

    void reserve(std::size_t num_ranks, std::size_t num_cells);
    /// Adds the row of the next rank.
    /// @param cells  sorted by key(), which is not checked here
    void add_row(std::span<const TrafficCell> cells);
    /// Adds the row of the next rank without a copy: returns its cells for the caller to fill.
    [[nodiscard]] std::span<TrafficCell> make_row(std::size_t num_cells);

    [[nodiscard]] std::size_t num_ranks() const { return ends_.size(); }
    [[nodiscard]] std::size_t num_cells() const { return cells_.size(); }
    /// Returns the row of a rank; empty for a rank that has none.
    [[nodiscard]] std::span<const TrafficCell> sent_by(RankId rank) const& {
        if (rank >= ends_.size()) return {};
        const std::size_t begin = rank == 0 ? 0 : ends_[rank - 1];
        return {cells_.data() + begin, ends_[rank] - begin};
    }
    /// Returns the cells of all ranks, row after row.
    [[nodiscard]] std::span<const TrafficCell> cells() const& { return cells_; }
    // a view of what is gone before it is looked at
    std::span<const TrafficCell> sent_by(RankId rank) const&& = delete;
    std::span<const TrafficCell> cells() const&& = delete;

    bool operator==(const TrafficMatrix&) const = default;

private:
    std::vector<std::size_t> ends_;
    std::vector<TrafficCell> cells_;
};

/// The sum of many cells.
struct TrafficSum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] TrafficSum sum_of(std::span<const TrafficCell> cells);

/// The sum of a row's cells with one peer.
struct PeerSum {
    RankId peer = 0;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] std::vector<PeerSum> peers_of(std::span<const TrafficCell> row);

/// Sorts cells by key() and adds up those with the same key; a sum that would overflow becomes
/// UINT64_MAX.
/// @return  how many cells are left, at the beginning
/// Cost: O(n log n).
std::size_t reduce_by_key(std::span<TrafficCell> cells);

/// Adds the row `from` to the row `to`. Both are sorted by key(), and so is the result.
/// Cost: O(cells).
void add_row(std::vector<TrafficCell>& to, std::span<const TrafficCell> from);

/// Adds up several matrices.
/// Cost: O(cells * matrices).
[[nodiscard]] TrafficMatrix sum_of(std::span<const TrafficMatrix* const> matrices,
                                   std::size_t num_ranks);

}  // namespace commmap
