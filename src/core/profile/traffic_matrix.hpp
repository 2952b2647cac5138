#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/size_bucket.hpp"

namespace commmap {

/// Messages of one size bucket from one rank to another.
struct TrafficCell {
    RankId peer = 0;
    std::uint32_t bucket = 0;  ///< < num_size_buckets
    std::uint64_t count = 0;   ///< messages, > 0
    std::uint64_t bytes = 0;   ///< all of them together
    bool operator==(const TrafficCell&) const = default;
    /// Of a row: by peer, then by bucket.
    [[nodiscard]] std::uint64_t key() const {
        return std::uint64_t{peer} * num_size_buckets + bucket;
    }
};

/// What each rank sent to each other: a row of cells for each sender, sorted by key(), end to end
/// (CSR). Ranks are those of MPI_COMM_WORLD. Memory: 24 bytes a cell, 8 a rank.
class TrafficMatrix {
public:
    TrafficMatrix() = default;
    /// For tests and made-up profiles.
    explicit TrafficMatrix(const std::vector<std::vector<TrafficCell>>& rows);

    void reserve(std::size_t num_ranks, std::size_t num_cells);
    /// The next rank's. @param cells  sorted by key(), which nobody checks here
    void add_row(std::span<const TrafficCell> cells);
    /// The same without a copy: room for the next rank's cells, to be filled.
    [[nodiscard]] std::span<TrafficCell> make_row(std::size_t num_cells);

    [[nodiscard]] std::size_t num_ranks() const { return ends_.size(); }
    [[nodiscard]] std::size_t num_cells() const { return cells_.size(); }
    /// Empty for a rank that has no row.
    [[nodiscard]] std::span<const TrafficCell> sent_by(RankId rank) const& {
        if (rank >= ends_.size()) return {};
        const std::size_t begin = rank == 0 ? 0 : ends_[rank - 1];
        return {cells_.data() + begin, ends_[rank] - begin};
    }
    /// Of all ranks, end to end.
    [[nodiscard]] std::span<const TrafficCell> cells() const& { return cells_; }
    // a view of what is gone before it is looked at
    std::span<const TrafficCell> sent_by(RankId rank) const&& = delete;
    std::span<const TrafficCell> cells() const&& = delete;

    bool operator==(const TrafficMatrix&) const = default;

private:
    std::vector<std::size_t> ends_;
    std::vector<TrafficCell> cells_;
};

/// Messages and bytes of many cells.
struct TrafficSum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] TrafficSum sum_of(std::span<const TrafficCell> cells);

/// One peer of a row, all sizes together.
struct PeerSum {
    RankId peer = 0;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] std::vector<PeerSum> peers_of(std::span<const TrafficCell> row);

/// Sorts by key() and adds up what has the same, UINT64_MAX where it is more; returns how many are
/// left, at the beginning. Cost: O(n log n).
std::size_t reduce_by_key(std::span<TrafficCell> cells);

/// `to` and `from` together, added up in the same way. Both sorted by key(), so is the result.
/// Cost: O(cells).
void add_row(std::vector<TrafficCell>& to, std::span<const TrafficCell> from);

/// Several matrices together. Cost: O(cells * matrices).
[[nodiscard]] TrafficMatrix sum_of(std::span<const TrafficMatrix* const> matrices,
                                   std::size_t num_ranks);

}  // namespace commmap
