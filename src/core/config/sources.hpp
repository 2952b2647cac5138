#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"

namespace commmap {

/// A variable's value, nothing when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The environment of this process.
[[nodiscard]] std::optional<std::string> own_variable(std::string_view name);

/// Reads every COMMMAP_* variable of the table. A value that makes
/// no sense leaves its option alone and gives one error in the result: a misspelt variable must not
/// stop a job.
[[nodiscard]] std::vector<Error> read_environment(Options& options,
                                                  const Environment& environment = own_variable);

/// Reads plugstack arguments, "name=value" each. Errors as above, one for each bad argument.
[[nodiscard]] std::vector<Error> read_plugstack_arguments(
    Options& options, const std::vector<std::string_view>& arguments);

/// ${COMMMAP_PROFILE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/commmap}; not_found when there is no home
/// either.
[[nodiscard]] Result<std::string> profile_directory(const Options& options,
                                                    const Environment& environment = own_variable);

}  // namespace commmap
