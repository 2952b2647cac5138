#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/profile/profile_file.hpp"

namespace commmap::cli {

/// Whether the profile in a file of a store is of the program and number of ranks that its name
/// says. Errors: corrupt.
[[nodiscard]] Status check_stored_name(const std::string& path, const ProfileFile& profile);

/// Reads every part of a profile file and checks it, as a job would that uses it. The value is a
/// line about it: what it has. Errors: those of open_profile_file(), corrupt with a line for each
/// part that is damaged.
/// @param stored  in a store, where its name must say what it is of
[[nodiscard]] Result<std::string> verify_profile_file(const std::string& path, bool stored);

}  // namespace commmap::cli
