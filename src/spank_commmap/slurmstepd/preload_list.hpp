#pragma once

#include <string>
#include <string_view>

namespace commmap::spank {

/// LD_PRELOAD as the dynamic linker reads it: entries between colons or blanks.

/// The list with `entry` at its beginning, after sanitizers' runtimes only: a tool that wraps MPI
/// and stood before it would call past it (PMPI_X). In place of one of the same file name.
[[nodiscard]] std::string with_entry(std::string_view list, std::string_view entry);
/// The list without the entries of that file name, whatever their directory.
[[nodiscard]] std::string without_file(std::string_view list, std::string_view file);
/// A path with a separator in it cannot be preloaded.
[[nodiscard]] bool can_be_preloaded(std::string_view path);

}  // namespace commmap::spank
