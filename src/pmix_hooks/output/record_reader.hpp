// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/profile/recording/rank_record.hpp"

namespace commmap::hooks {

/// Content of the memory that a rank left.
struct Recorded {
    /// Record of this rank; of a rank 0 that has gathered, the records of all ranks that had one.
    std::vector<RankRecord> records;
    bool gathered = false;
    std::uint32_t num_ranks = 0;
    std::string command;
    std::string mpi_library;
    std::string profiles;                              ///< the directory for profiles
    FileVisibility visibility = FileVisibility::user;  ///< of the directory's files
};

/// Reads the memory that slurmstepd gave a task (record_memory.hpp). Empty when there is nothing to
/// collect.
/// Trusts nothing in this memory but its length: a program that shortens the file meanwhile ends
/// the reading process.
/// So a process of its own should read, with no other duty.
/// Errors: corrupt, not_supported (another version of commmap wrote the memory), io.
[[nodiscard]] Result<std::optional<Recorded>> read_record(int fd);
/// Does the same for memory of this process, which must be aligned for any type.
[[nodiscard]] Result<std::optional<Recorded>> read_record(const void* memory, std::size_t bytes);

}  // namespace commmap::hooks
