#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/config/options.hpp"

namespace commmap::cli {

/// The profile file that a user means: its path, or that of the recorded program; or in the profile
/// directory the beginning of a file's name, or the name of the recorded program. not_found when
/// that is not exactly one: says which there are. Cost: reads the directory, and for a program's
/// name every profile in it.
[[nodiscard]] Result<std::string> find_profile_file(const std::string& name,
                                                    const Options& options);

}  // namespace commmap::cli
