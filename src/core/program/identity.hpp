// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap {

/// Describes an executable, as far as recording it and finding its profile need.
struct Executable {
    enum class Kind { dynamic_elf, static_elf, foreign_elf, script, other };
    std::string path;  ///< absolute, symbolic links resolved
    /// static_elf: has no program interpreter (static-pie included), so that nothing can be
    /// preloaded into it. foreign_elf: for another kind of machine, or of 32 bits. other: anything
    /// else.
    Kind kind = Kind::other;
    std::string
        application_id;       ///< "build-id:<hex>" (GNU build id) or "xxh128:<hex>" (content hash)
    std::string loader = {};  ///< a dynamic_elf's program interpreter, as its file names it
    /// a script's first line behind "#!", as far as Linux reads the line
    std::string interpreter = {};
};

/// Inspects one file with libelf.
/// Cost: only headers are read when there is a build id, else the whole file.
/// Errors: not_found, invalid_input, io.
[[nodiscard]] Result<Executable> inspect_executable(const std::string& path);

}  // namespace commmap
