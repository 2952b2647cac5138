// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>

#include "commmap/result.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

struct GcLimits {
    std::size_t runs = ProfileStore::most_runs;  ///< runs to keep of a program and number of ranks
    double days = 0.0;                           ///< largest age of a file; 0: any
    bool dry_run = false;                        ///< only say which files would be removed
    /// Only profiles with this tag; "": profiles without a tag; no value: all profiles.
    std::optional<std::string> tag;
};

/// Removes files from a user's store, and returns a line about each:
/// - older runs than the last `runs`;
/// - files that are too old;
/// - partial profiles beside complete ones;
/// - temporary files and parts of unfinished runs, once they are a day old: writers that were
///   killed left them.
/// Errors: io; the files removed before the error stay removed.
[[nodiscard]] Result<std::string> collect_garbage(const ProfileStore& store, const GcLimits& limits,
                                                  std::time_t now);

}  // namespace commmap::cli
