#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap {

/// Finds a command as execvp would: with a slash as it stands (relative to `directory`), else along
/// `search_path`. Errors: not_found (does not exist, not executable), invalid_input (a directory).
[[nodiscard]] Result<std::string> find_executable(const std::string& command,
                                                  const std::string& search_path,
                                                  const std::string& directory);

}  // namespace commmap
