// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/find_executable.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/file.hpp"

namespace commmap {
namespace {

bool can_be_executed(const std::string& path, struct stat& status) {
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_executable(const std::string& command, const std::string& search_path,
                                    const std::string& directory) {
    const auto in = [](const std::string& base, const std::string& name) {
        return name.starts_with('/') ? name : base + (base.ends_with('/') ? "" : "/") + name;
    };
    struct stat status {};
    if (command.empty()) return Error{Errc::not_found, "there is no command to look for"};
    if (command.find('/') != std::string::npos) {
        std::string path = in(directory, command);
        if (can_be_executed(path, status)) return path;
        if (::stat(path.c_str(), &status) != 0) return system_error("find", path, errno);
        if (S_ISDIR(status.st_mode))
            return Error{Errc::invalid_input, fmt::format("'{}' is a directory", path)};
        return Error{Errc::not_found, fmt::format("'{}' is not executable", path)};
    }
    // execvp's own default when there is no PATH
    const std::string where = search_path.empty() ? "/bin:/usr/bin" : search_path;
    for (std::size_t begin = 0; begin <= where.size();) {
        const std::size_t end = std::min(where.find(':', begin), where.size());
        std::string path = in(in(directory, where.substr(begin, end - begin)), command);
        if (can_be_executed(path, status)) return path;
        begin = end + 1;
    }
    return Error{Errc::not_found,
                 fmt::format("'{}' is not in the search path '{}'", command, where)};
}

}  // namespace commmap
