// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace commmap::hooks {

/// How much of other ranks' records a rank takes. Under Slurm what does not fit goes by the nodes'
/// parts, and a rank near its limit of memory is not to die of the others. Elsewhere there is no
/// other way: 128 MiB are 16,384 ranks with 340 peers each.
inline constexpr std::size_t max_gathered_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_gathered_bytes_outside_slurm = std::size_t{128} << 20;

/// Bytes that grow, in memory of their own or in a room that somebody else has.
class GatheredBytes {
public:
    GatheredBytes() = default;
    /// @param room  empty: in memory of their own
    explicit GatheredBytes(std::span<char> room) noexcept : room_(room) {}

    /// So many more, to be written. Null when there is no memory for them.
    [[nodiscard]] char* grow(std::size_t bytes) noexcept;
    [[nodiscard]] bool append(std::string_view bytes) noexcept;
    [[nodiscard]] std::string_view view() const noexcept {
        return room_.empty() ? std::string_view(own_) : std::string_view(room_.data(), used_);
    }
    /// They are in the room that was given.
    [[nodiscard]] bool in_room() const noexcept { return !room_.empty(); }
    void clear() noexcept;

private:
    std::string own_;
    std::span<char> room_;
    std::size_t used_ = 0;  ///< of the room
};

/// What one process has of the records of all.
struct Gathered {
    enum class End {
        complete,  ///< every rank's bytes are on rank 0
        lost,      ///< a rank had no memory, or MPI failed
        too_large  ///< there are more than max_bytes of them
    };
    End end = End::lost;  ///< on every rank as on rank 0
    /// On rank 0: a frame for each record (core/base/frames.hpp), in no particular order.
    GatheredBytes records;
};

/// Takes one more record; `lost` when there is no memory for it.
void keep_record(Gathered& gathered, std::string_view record) noexcept;

/// Brings the bytes of every rank to rank 0 along a binomial tree, in ceil(log2 P) steps. A step is
/// a message with the length in 64 bits, and as many messages of at most `chunk_bytes` (<= INT_MAX)
/// as the bytes take. Then the tree's root tells all ranks how the gathering ended. Collective over
/// `comm`, which carries nothing else and has MPI_ERRORS_RETURN. A rank that fails (no memory, an
/// MPI error, more than `max_bytes` from below) still answers its parent, so that nobody waits for
/// it. Ranks may have different max_bytes. No rank ever holds more than its max_bytes and its own
/// record: rank 0 is an ordinary process of a job that uses the node's memory.
/// @param room  of rank 0, for the records of all; empty: they are in memory of their own
[[nodiscard]] Gathered gather_to_root(MPI_Comm comm, int rank, int size, const std::string& mine,
                                      std::size_t max_bytes, std::span<char> room = {},
                                      std::size_t chunk_bytes = std::size_t{1} << 28) noexcept;

}  // namespace commmap::hooks
