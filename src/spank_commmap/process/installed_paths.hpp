#pragma once

#include <string>
#include <string_view>

#include "core/config/options.hpp"

namespace commmap::spank {

// Where this plugin's own files are: beside commmap.so, so that an installed tree can be moved as a
// whole. The place is found once, by find_installed_paths(); of a tree that is moved or removed
// later the files are missing, and nothing else is taken for them.

/// At the beginning of slurm_spank_init, before the plugin's tree can go. From then on root runs
/// what the plugin's owner owns, too.
void find_installed_paths();
/// A file beside commmap.so. Empty where nobody knows that place.
[[nodiscard]] std::string installed_file(std::string_view name);
/// The folder that commmap.so is in; empty as above.
[[nodiscard]] const std::string& library_directory();
/// The program `commmap`: the one that the admin names, else the installed one; empty as above.
[[nodiscard]] std::string program_of(const Options& options);

}  // namespace commmap::spank
