#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// Which directories are looked into; for what removes files the user's alone, and the beginning of
/// a name is none.
enum class Where { anywhere, users };

/// The files that a name stands for: a path; else, in the user's profile directory or the site's,
/// the files whose names begin so, or what the program that was recorded was called, or (of a
/// program's file that is no profile) its identity. All of one program, number of ranks and tag:
/// its runs, the last first, then what is partial. Errors: invalid_input (no name), not_found, with
/// the candidates where several programs or sizes fit; io.
[[nodiscard]] Result<std::vector<std::string>> find_all_profile_files(
    const std::string& name, const Options& options, Where where = Where::anywhere);

/// Those that are read as one (read_runs()): without what is partial where there are complete
/// ones, no more than find_runs() would take, and with notes about those that cannot be used
/// (pass_over_unusable()).
[[nodiscard]] Result<FoundRuns> find_profile_files(const std::string& name, const Options& options);

}  // namespace commmap::cli
