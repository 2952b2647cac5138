#pragma once

#include <string>

namespace commmap::spank {

/// Where this plugin's own files are. Found from the place of commmap.so itself, so that an
/// installed tree can be moved as a whole; the paths of the build's prefix where that fails.
[[nodiscard]] std::string library_directory();
/// The program `commmap`.
[[nodiscard]] std::string installed_program();

}  // namespace commmap::spank
