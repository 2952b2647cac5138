// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap {

/// Finds the file of a command as execvp would. A command with a slash is a path (relative to
/// `directory`); others are looked for along `search_path`.
/// Errors: not_found when there is no executable file; invalid_input for a directory.
[[nodiscard]] Result<std::string> find_executable(const std::string& command,
                                                  const std::string& search_path,
                                                  const std::string& directory);

}  // namespace commmap
