// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/relaunch/shepherd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "spank_commmap/process/process_state.hpp"

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;

struct PipeEnd {
    int fd;
    ino_t pipe;
};

bool opened_for(const std::string& process, const std::string& fd, int mode) {
    std::ifstream info("/proc/" + process + "/fdinfo/" + fd);
    std::string name;
    for (std::string value; info >> name >> value;) {
        if (name != "flags:") continue;
        return (std::stoul(value, nullptr, 8) & O_ACCMODE) == static_cast<unsigned>(mode);
    }
    return false;
}

/// Returns the pipe ends of a process that are open in the given mode.
std::vector<PipeEnd> pipe_ends(const std::string& process, int mode) {
    const std::string directory = "/proc/" + process + "/fd/";
    std::vector<PipeEnd> ends;
    for (const int fd : descriptors_of(process)) {
        const std::string name = std::to_string(fd);
        const std::string path = directory + name;
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode) &&
            opened_for(process, name, mode))
            ends.push_back({fd, status.st_ino});
    }
    return ends;
}

std::vector<std::string> children() {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator thread("/proc/self/task", error), last; !error && thread != last;
         thread.increment(error)) {
        std::ifstream list(thread->path() / "children");
        for (std::string child; list >> child;) found.push_back(child);
    }
    return found;
}

}  // namespace

std::optional<int> shepherd_pipe() {
    std::set<ino_t> read_by_children;
    for (const std::string& child : children()) {
        for (const PipeEnd& end : pipe_ends(child, O_RDONLY)) read_by_children.insert(end.pipe);
    }
    // srun's other pipes, which wake a thread, have both ends in this process
    for (const PipeEnd& end : pipe_ends("self", O_RDONLY)) read_by_children.erase(end.pipe);
    std::optional<int> found;
    for (const PipeEnd& end : pipe_ends("self", O_WRONLY)) {
        if (!read_by_children.contains(end.pipe)) continue;
        if (found) return std::nullopt;
        found = end.fd;
    }
    return found;
}

void dismiss_shepherd(int pipe) {
    const char byte = 0;
    while (::write(pipe, &byte, 1) < 0 && errno == EINTR) {
    }
}

}  // namespace commmap::spank
