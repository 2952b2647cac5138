// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// Directories to look into. A command that removes files looks only into the user's, and takes no
/// beginning of a name.
enum class Where { anywhere, users };

/// Finds the files that a name stands for. A name is
/// - a path;
/// - the beginning of files' names, in the user's profile directory or the site's;
/// - the name of the recorded program;
/// - a program's file that is no profile, which stands for its identity.
/// Returns all files of one program, number of ranks and tag: its runs, the last first, then
/// partial profiles.
/// Errors:
/// - invalid_input: no name;
/// - not_found; with the candidates if several programs or sizes fit;
/// - io.
[[nodiscard]] Result<std::vector<std::string>> find_all_profile_files(
    const std::string& name, const Options& options, Where where = Where::anywhere);

/// Finds the files that are read as one profile (read_runs()). Leaves out partial profiles if there
/// are complete ones.
/// Takes no more runs than find_runs() would, and adds notes about files that cannot be used
/// (pass_over_unusable()).
[[nodiscard]] Result<FoundRuns> find_profile_files(const std::string& name, const Options& options);

/// Loads the runs that a name stands for, as one profile. Prints notes about files that were left
/// out.
[[nodiscard]] Result<Profile> load_named_profile(const std::string& name, const Options& options);

}  // namespace commmap::cli
