// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "core/config/options.hpp"

namespace commmap::spank {

// These functions find this plugin's own files. They lie beside commmap.so, so that an installed
// tree can be moved as a whole.
// find_installed_paths() finds the place once. If the tree is moved or removed later, its files are
// missing, and no other file is taken for them.

/// Finds the place of the plugin's files. Must be called at the beginning of slurm_spank_init,
/// before the plugin's tree can go.
/// From then on root also runs programs that the plugin's owner owns.
void find_installed_paths();
/// Returns the path of a file beside commmap.so; empty when that place is unknown.
[[nodiscard]] std::string installed_file(std::string_view name);
/// Returns the folder of commmap.so; empty as above.
[[nodiscard]] const std::string& library_directory();
/// Returns the path of the program `commmap`: the one that the admin names, else the installed one;
/// empty as above.
[[nodiscard]] std::string program_of(const Options& options);

}  // namespace commmap::spank
