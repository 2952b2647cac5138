// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/node/kept_node.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <fstream>

#include "core/base/file.hpp"

namespace commmap::spank {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
constexpr mode_t readable_directory = 0755;
constexpr mode_t readable_file = 0644;

bool only_root_writes(const std::string& directory) {
    struct stat status {};
    return ::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Returns the first line of a file in /proc or /sys, whose stat says a size of zero or of a page.
Result<std::string> first_line_of(const char* path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || line.empty())
        return Error{Errc::not_found, std::string("cannot read '") + path + "'"};
    return line;
}

}  // namespace

Result<std::string> KeptNode::key() const {
    struct stat program {};
    if (::stat(program_.c_str(), &program) != 0)
        return Error{Errc::not_found, "no '" + program_ + "'"};
    const auto boot = first_line_of("/proc/sys/kernel/random/boot_id");
    if (!boot) return boot.error();
    const auto online = first_line_of("/sys/devices/system/cpu/online");
    if (!online) return online.error();
    return "commmap-node " + program_ + " " + std::to_string(program.st_ino) + " " +
           std::to_string(program.st_size) + " " + std::to_string(program.st_mtim.tv_sec) + "." +
           std::to_string(program.st_mtim.tv_nsec) + "\n" + boot.value() + " " + online.value() +
           "\n";
}

Result<std::string> KeptNode::load() const {
    if (!only_root_writes(directory_))
        return Error{Errc::not_found, "nothing is kept in '" + directory_ + "'"};
    auto content = read_file(path(), most_bytes);
    if (!content) return content;
    const auto now = key();
    if (!now) return now.error();
    if (!content.value().starts_with(now.value()))
        return Error{Errc::not_found, "'" + path() + "' is of another time or program"};
    return content.value().substr(now.value().size());
}

Status KeptNode::keep(const std::string& key, std::string_view answer) const {
    ::mkdir(directory_.c_str(), readable_directory);
    if (!only_root_writes(directory_))
        return Error{Errc::invalid_input, "'" + directory_ + "' is no directory of root's alone"};
    // mkdir leaves out the umask's bits, but tasks of every user read this directory
    ::chmod(directory_.c_str(), readable_directory);
    const auto now = this->key();
    if (!now) return now.error();
    // There was an upgrade, or a CPU came, while the program was asked.
    if (now.value() != key)
        return Error{Errc::not_found, "'" + program_ + "' is another program by now"};
    return write_file_atomically(path(), key + std::string(answer), readable_file, Sync::no);
}

}  // namespace commmap::spank
