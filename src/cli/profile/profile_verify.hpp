// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap::cli {

/// Reads every part of a profile file and checks it, as a job would that uses it. Returns a line
/// about its content.
/// @param stored  in a store: open_stored_profile()
/// Errors: those of open_profile_file(); corrupt with a line for each damaged part.
[[nodiscard]] Result<std::string> verify_profile_file(const std::string& path, bool stored);

}  // namespace commmap::cli
