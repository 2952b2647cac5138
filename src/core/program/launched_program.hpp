#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/program/identity.hpp"

namespace commmap {

/// What a command line is about, for a profile (docs/user/profile-store.md): not env, numactl and
/// the like, but what they start, and of an interpreter its script.
struct LaunchedProgram {
    std::string command;  ///< as it is in the command line
    std::string script;   ///< a file's path as it is there, or "-m NAME" of Python; empty: none
};

/// Looks at names, and at which files exist. What a starter starts is the word behind its options
/// and their values; where that is no program, it is the starter. A script is the first word behind
/// an interpreter that is no option and a regular file of at most 4 MiB, unless code stands in the
/// command line.
/// @param search_path  PATH of the task
/// @param directory    that it starts in; absolute
[[nodiscard]] LaunchedProgram find_launched_program(const std::vector<std::string>& words,
                                                    const std::string& search_path,
                                                    const std::string& directory);

/// Whether a command runs its program in a container, by its name. That program may have another C
/// library, which takes in no library of this machine's.
[[nodiscard]] bool is_container_runtime(const std::string& command);

/// What it is.
struct InspectedProgram {
    /// Of the command; with a script its identity ends in ".script-" and 16 hexadecimal digits of
    /// the hash of the script's content, or in ".module-NAME".
    Executable executable;
    std::string shown_path;  ///< the script's, absolute; else the executable's
};
/// Errors: those of find_executable and inspect_executable. Cost: that of inspect_executable, and
/// the script is read.
[[nodiscard]] Result<InspectedProgram> inspect_launched(const LaunchedProgram& program,
                                                        const std::string& search_path,
                                                        const std::string& directory);

}  // namespace commmap
