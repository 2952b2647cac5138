#pragma once

#include <string>

#include "core/config/options.hpp"

namespace commmap::spank {

/// Where this plugin's own files are. Found from the place of commmap.so itself, so that an
/// installed tree can be moved as a whole; the paths of the build's prefix where that fails.
[[nodiscard]] std::string library_directory();
/// The program `commmap`: the one that the admin names, else the installed one.
[[nodiscard]] std::string program_of(const Options& options);

}  // namespace commmap::spank
