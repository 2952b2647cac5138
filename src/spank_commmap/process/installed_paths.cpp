// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/installed_paths.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/base/handle.hpp"
#include "spank_commmap/process/trusted_program.hpp"

namespace commmap::spank {
namespace {

/// Returns the folder of the plugin, with links resolved; empty if dlopen() was not given a path.
std::string directory_of_plugin() {
    static const char anchor = 0;
    Dl_info info{};
    if (::dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return "";
    const std::unique_ptr<char, FreeWith<std::free>> real(::realpath(info.dli_fname, nullptr));
    return real ? std::filesystem::path(real.get()).parent_path().string() : "";
}

}  // namespace

const std::string& library_directory() {
    static const std::string directory = directory_of_plugin();
    return directory;
}

void find_installed_paths() {
    struct stat plugin {};
    if (::stat(installed_file("commmap.so").c_str(), &plugin) == 0)
        trust_owner_of_plugin(plugin.st_uid);
}

std::string installed_file(std::string_view name) {
    if (library_directory().empty()) return "";
    return library_directory() + "/" + std::string(name);
}

std::string program_of(const Options& options) {
    if (!options.program.empty()) return options.program;
    return std::filesystem::path(installed_file(COMMMAP_LIBRARY_TO_PROGRAM))
        .lexically_normal()
        .string();
}

}  // namespace commmap::spank
