// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/program/identity.hpp"

namespace commmap {

/// The program that a command line really runs (docs/user/profile-store.md): not env, numactl and
/// the like, but the program that they start, and the script of an interpreter.
struct LaunchedProgram {
    std::string command;  ///< as in the command line
    /// path of the script as in the command line, or "-m NAME" of Python; empty: none
    std::string script;
};

/// Finds the program that a command line runs, from names and from which files exist.
/// - A starter (env, numactl, ...) starts the word after its options and their values. When that
///   word is no program, the starter itself is the program.
/// - A script is the first word after an interpreter that is no option and names a regular file.
///   The file has at most 4 MiB. There is no script where the command line contains the code.
///
/// @param search_path  PATH of the task
/// @param directory    working directory of the task; absolute
[[nodiscard]] LaunchedProgram find_launched_program(const std::vector<std::string>& words,
                                                    const std::string& search_path,
                                                    const std::string& directory);

/// Tells by names whether a command runs its program in a container. That program may have another
/// C library, which cannot load this machine's libraries.
/// Either the command is a container runtime, or the first line of its script names one. So does an
/// image of Singularity, which begins with "#!/usr/bin/env run-singularity".
[[nodiscard]] bool runs_in_container(const std::string& command, const Executable& executable);

/// The launched program after inspection.
struct InspectedProgram {
    /// The executable of the command. With a script, its identity ends in ".script-" and 16
    /// hexadecimal digits of the hash of the script's content, or in ".module-NAME".
    Executable executable;
    /// absolute path of the script, if there is one, else of the executable
    std::string shown_path;
};
/// Inspects a launched program.
/// Errors: as find_executable() and inspect_executable().
/// Cost: that of inspect_executable(); the script is read too.
[[nodiscard]] Result<InspectedProgram> inspect_launched(const LaunchedProgram& program,
                                                        const std::string& search_path,
                                                        const std::string& directory);

}  // namespace commmap
