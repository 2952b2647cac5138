#pragma once

#include <string>

namespace commmap::spank {

/// The directory that this process is in, as an absolute path. Returns "/" when the directory is
/// gone.
[[nodiscard]] std::string working_directory();

/// The same path, made absolute by the directory that this process is in.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace commmap::spank
