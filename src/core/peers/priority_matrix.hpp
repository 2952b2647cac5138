// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Messages between a rank and one peer, as an entry of the rank's row.
struct Priority {
    RankId peer = 0;
    std::uint64_t messages = 0;  ///< > 0
    bool operator==(const Priority&) const = default;
};

/// A row of priorities for each rank, rows end to end (CSR).
/// Memory: 16 bytes an entry, 8 a rank.
class PriorityRows {
public:
    void reserve(std::size_t num_ranks, std::size_t num_entries);
    /// Adds the row of the next rank.
    void add_row(std::span<const Priority> row);
    [[nodiscard]] std::size_t num_ranks() const { return ends_.size(); }
    [[nodiscard]] std::size_t num_entries() const { return entries_.size(); }
    /// @pre rank < num_ranks()
    [[nodiscard]] std::span<const Priority> of(RankId rank) const& {
        const std::size_t begin = rank == 0 ? 0 : ends_[rank - 1];
        return {entries_.data() + begin, ends_[rank] - begin};
    }
    /// Returns the entries of all ranks, row after row.
    [[nodiscard]] std::span<const Priority> entries() const& { return entries_; }
    [[nodiscard]] std::uint64_t num_messages() const;
    // a view of what is gone before it is looked at
    std::span<const Priority> of(RankId rank) const&& = delete;
    std::span<const Priority> entries() const&& = delete;
    bool operator==(const PriorityRows&) const = default;

private:
    std::vector<std::size_t> ends_;
    std::vector<Priority> entries_;
};

/// The priority matrix p[i][j][k] of PRO-MPI: the number of small messages that rank i sends to
/// rank j in phase k. Entries of 0 are not kept.
/// Immutable and thread-safe once made.
struct PriorityMatrix {
    std::size_t num_ranks = 0;
    /// By phase; the row of a rank is sorted by peer, and never has the rank itself.
    std::vector<PriorityRows> phases;
    std::uint64_t small_messages = 0;  ///< the sum of all entries
    std::uint64_t all_messages = 0;    ///< between different ranks, of any size
};

/// The size up to which a message is small when nobody says another one. It is the first limit of a
/// size bucket that is not below Open MPI's btl_openib_eager_limit, 12 KiB.
inline constexpr std::uint64_t default_small_bytes = std::uint64_t{16} << 10;

/// Returns the largest limit of a size bucket that is at most `bytes`. A profile counts messages in
/// size buckets, so only such a limit tells small messages from others.
/// Errors: invalid_input (below 16, the smallest limit).
[[nodiscard]] Result<std::uint64_t> small_limit_bytes(std::uint64_t bytes);

/// Makes the priority matrix of a profile.
///
/// What counts is every message in Phase::sent. These are sends, one-sided operations, and
/// collectives that name a length for each peer. Other collectives do not count, for the profile
/// does not know their messages. Messages inside a node count too: a later run may have its ranks
/// elsewhere.
///
/// @param small_bytes  a limit of a size bucket (small_limit_bytes()); inclusive
/// @param phase        only this phase, as if it were the whole run; < profile.phases.size()
/// Errors: out_of_range (2^64 messages or more).
/// Cost: O(cells). Memory: linear in the number of pairs of each phase.
/// Source: Gorentla Venkata, Bridges, Widener, "Using Application Communication Characteristics to
/// Drive Dynamic MPI Reconfiguration", Sec. 3.2.
/// Differs from the paper: it does not say which messages are small.
[[nodiscard]] Result<PriorityMatrix> priority_matrix(const Profile& profile,
                                                     std::uint64_t small_bytes,
                                                     std::optional<std::size_t> phase = {});

/// Adds up all phases: rows sorted by peer.
/// Cost: O(entries log entries of a rank).
[[nodiscard]] PriorityRows whole_run(const PriorityMatrix& matrix);

/// Returns the same messages in the rows of their receivers: peers are senders.
/// Cost: O(entries + ranks * phases).
[[nodiscard]] PriorityMatrix by_receiver(const PriorityMatrix& matrix);

}  // namespace commmap
