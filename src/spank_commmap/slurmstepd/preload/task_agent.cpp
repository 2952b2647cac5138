// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/task_agent.h"

#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/program/identity.hpp"
#include "core/program/launched_program.hpp"
#include "core/program/needed_libraries.hpp"

namespace {

using commmap::Executable;

CommmapExecutableKind kind_of(Executable::Kind kind) {
    switch (kind) {
        case Executable::Kind::dynamic_elf:
            return COMMMAP_DYNAMIC;
        case Executable::Kind::static_elf:
            return COMMMAP_STATIC;
        case Executable::Kind::foreign_elf:
            return COMMMAP_FOREIGN;
        case Executable::Kind::script:
            return COMMMAP_SCRIPT;
        case Executable::Kind::other:
            break;
    }
    return COMMMAP_OTHER;
}

/// Returns whether a dynamic linker is that of this process.
/// Nix, Guix and musl have linkers of their own, with another C library. A preloaded library may
/// end such a program.
bool is_own_loader(const std::string& loader) {
    const auto own = commmap::inspect_executable("/proc/self/exe");
    if (!own || own.value().loader.empty()) return true;  // unknown
    struct stat ours {};
    struct stat theirs {};
    return ::stat(own.value().loader.c_str(), &ours) != 0 ||
           (::stat(loader.c_str(), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
            ours.st_ino == theirs.st_ino);
}

CommmapMpi mpi_of(const Executable& executable) {
    if (executable.kind != Executable::Kind::dynamic_elf) return COMMMAP_UNKNOWN_MPI;
    switch (commmap::needed_mpi(executable.path)) {
        case commmap::MpiKind::open_mpi:
            return COMMMAP_OPEN_MPI;
        case commmap::MpiKind::mpich:
            return COMMMAP_MPICH;
        case commmap::MpiKind::unknown:
            break;
    }
    return COMMMAP_UNKNOWN_MPI;
}

template <std::size_t Size>
bool copy(const std::string& text, char (&to)[Size]) {
    const int length = std::snprintf(to, Size, "%s", text.c_str());
    return length >= 0 && static_cast<std::size_t>(length) < Size;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) commmap_task_inspect_function commmap_task_inspect;

void commmap_task_inspect(const char* const* words, const char* search_path, const char* directory,
                          CommmapExecutable* executable) {
    *executable = {};
    try {
        std::vector<std::string> command;
        for (; *words != nullptr; ++words) command.emplace_back(*words);
        const auto program = commmap::find_launched_program(command, search_path, directory);
        const auto found = commmap::inspect_launched(program, search_path, directory);
        if (!found || !copy(found.value().shown_path, executable->path) ||
            !copy(found.value().executable.application_id, executable->application_id))
            return;
        executable->kind = kind_of(found.value().executable.kind);
        executable->mpi = mpi_of(found.value().executable);
        const std::string& loader = found.value().executable.loader;
        if (executable->kind == COMMMAP_DYNAMIC && !is_own_loader(loader)) {
            executable->kind = COMMMAP_LOADER;
            static_cast<void>(copy(loader, executable->loader));
        }
        if (commmap::runs_in_container(program.command, found.value().executable))
            executable->kind = COMMMAP_CONTAINER;
    } catch (...) {  // no memory: the program runs unrecorded
    }
}
}
