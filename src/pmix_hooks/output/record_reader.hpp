#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/profile/recording/rank_record.hpp"

namespace commmap::hooks {

/// What a rank left in its memory.
struct Recorded {
    /// Its own; of rank 0 that has gathered them those of all ranks that had one.
    std::vector<RankRecord> records;
    bool gathered = false;
    std::uint32_t num_ranks = 0;
    std::string command;
    std::string mpi_library;
    std::string profiles;                              ///< the directory
    FileVisibility visibility = FileVisibility::user;  ///< of that
};

/// Reads the memory that slurmstepd gave a task (record_memory.hpp). Empty: there is nothing to
/// collect. Nothing in it is trusted but that it does not grow shorter meanwhile: a program that
/// does that ends the process that reads, which is one for nothing else.
/// Errors: corrupt, not_supported (another version of commmap wrote it), io.
[[nodiscard]] Result<std::optional<Recorded>> read_record(int fd);
/// The same of memory of this process, which is aligned for anything.
[[nodiscard]] Result<std::optional<Recorded>> read_record(const void* memory, std::size_t bytes);

}  // namespace commmap::hooks
