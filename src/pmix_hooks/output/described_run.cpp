// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/described_run.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>

#include "core/base/file_visibility.hpp"
#include "core/base/user_cache.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/process/environment.hpp"
#include "pmix_hooks/process/own_executable.hpp"

namespace commmap::hooks {
namespace {

/// Returns the first line of MPI_Get_library_version.
std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (PMPI(Get_library_version)(text, &length) != MPI_SUCCESS) return "";
    const std::string version(text);
    return version.substr(0, version.find('\n'));
}

}  // namespace

Result<std::string> save_directory() {
    if (std::string directory = environment("COMMMAP_PROFILE_DIR"); !directory.empty()) {
        if (directory.starts_with('/')) return directory;
        // a relative path is ambiguous: the program may have changed its directory
        return Error{Errc::invalid_input,
                     "COMMMAP_PROFILE_DIR is '" + directory + "'; it must be an absolute path"};
    }
    if (const auto cache = user_cache(environment("XDG_CACHE_HOME"), environment("HOME")))
        return *cache + "/commmap";
    return Error{Errc::not_found, "neither COMMMAP_PROFILE_DIR nor HOME is set"};
}

std::string recorded_command() {
    std::string command = environment("COMMMAP_APP_PATH");
    return command.empty() ? own_path() : command;
}

void describe_run(RecordHead& head) noexcept {
    const auto copy = [](const std::string& text, auto& to) {
        std::snprintf(to, sizeof to, "%s", text.c_str());
    };
    try {
        copy(environment("COMMMAP_APP_ID"), head.application_id);
        copy(recorded_command(), head.command);
        copy(mpi_library(), head.mpi_library);
        if (const auto directory = save_directory(); directory)
            copy(directory.value(), head.profiles);
        head.visibility = environment("COMMMAP_PROFILE_READERS") == "group" ? FileVisibility::group
                                                                            : FileVisibility::user;
    } catch (const std::exception&) {  // no memory: the texts so far must do
    }
}

}  // namespace commmap::hooks
