// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace commmap::spank {

/// These functions read LD_PRELOAD as the dynamic linker does: entries stand between colons or
/// blanks.

/// Returns the list with `entry` in front, in place of an entry with the same file name.
/// Only sanitizers' runtimes stay before `entry`. A tool that wraps MPI would bypass `entry` from
/// there, for it calls PMPI_X.
[[nodiscard]] std::string with_entry(std::string_view list, std::string_view entry);
/// Returns the list without the entries of that file name, whatever their directory.
[[nodiscard]] std::string without_file(std::string_view list, std::string_view file);
/// Returns whether a path can be preloaded: it must not have a separator in it.
[[nodiscard]] bool can_be_preloaded(std::string_view path);

}  // namespace commmap::spank
