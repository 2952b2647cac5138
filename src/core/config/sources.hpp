#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"

namespace commmap {

/// Reads every COMMMAP_* variable of the table from this process's environment. A value that makes
/// no sense leaves its option alone and gives one error in the result: a misspelt variable must not
/// stop a job.
[[nodiscard]] std::vector<Error> read_environment(Options& options);

/// Reads plugstack arguments, "name=value" each. Errors as above, one for each bad argument.
[[nodiscard]] std::vector<Error> read_plugstack_arguments(
    Options& options, const std::vector<std::string_view>& arguments);

/// ${COMMMAP_PROFILE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/commmap}; not_found when there is no home
/// either.
[[nodiscard]] Result<std::string> profile_directory(const Options& options);

}  // namespace commmap
