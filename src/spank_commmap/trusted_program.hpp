#pragma once

#include <string>

#include "core/base/handle.hpp"
#include "core/base/result.hpp"

namespace commmap::spank {

/// Opens a program that root may start: nobody else can change that file, or put another one in its
/// place.
///
/// The file, each folder from `/` to it, and each link on the way belong to root. Neither file nor
/// folder is writable for its group or for others; a folder that is must have the sticky bit.
///
/// @param path  absolute
/// @return      a descriptor by O_PATH, closed at exec; or one line: invalid_input names the file
/// or
///              folder that is not root's alone, not_found says why there is no such file
[[nodiscard]] Result<FileDescriptor> open_trusted_program(const std::string& path);

}  // namespace commmap::spank
