#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>

#include "commmap/result.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

struct GcLimits {
    std::size_t runs = ProfileStore::most_runs;  ///< of a program and number of ranks
    double days = 0.0;                           ///< a file's age; 0: any
    bool dry_run = false;                        ///< say what would be removed
    /// Only profiles with it, with "" those without one; without a value everything.
    std::optional<std::string> tag;
};

/// Removes from a user's store: older runs than the last so many, files that are too old, partial
/// profiles beside complete ones, and what writers that were killed left behind (temporary files
/// and parts of unfinished runs, once they are a day old). Returns a line about each.
/// Errors: io; what was removed before is.
[[nodiscard]] Result<std::string> collect_garbage(const ProfileStore& store, const GcLimits& limits,
                                                  std::time_t now);

}  // namespace commmap::cli
