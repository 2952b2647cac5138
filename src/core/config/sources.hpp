// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"

namespace commmap {

/// Looks up an environment variable; nullopt: it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Looks up a variable in the environment of this process.
[[nodiscard]] std::optional<std::string> own_variable(std::string_view name);

/// Reads every COMMMAP_* variable of the option table.
/// A wrong value leaves its option unchanged and adds one error to the result: a misspelt variable
/// must not stop a job.
[[nodiscard]] std::vector<Error> read_environment(Options& options,
                                                  const Environment& environment = own_variable);

/// Reads plugstack arguments, "name=value" each. Adds one error for each bad argument.
[[nodiscard]] std::vector<Error> read_plugstack_arguments(
    Options& options, const std::vector<std::string_view>& arguments);

/// Returns the directory of profiles:
/// ${COMMMAP_PROFILE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/commmap}.
/// Errors: not_found when there is no home directory either.
[[nodiscard]] Result<std::string> profile_directory(const Options& options,
                                                    const Environment& environment = own_variable);

}  // namespace commmap
