#include "spank_commmap/reexec.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "spank_commmap/slots.hpp"
#include "spank_commmap/words.hpp"

namespace commmap::spank {
namespace {

constexpr std::array dropped = {"nodes",        "ntasks",   "ntasks-per-node", "tasks-per-node",
                                "nodelist",     "nodefile", "exclude",         "relative",
                                "distribution", "commmap"};

/// srun's own file. By its name where that still is the same file: executing /proc/self/exe would
/// make the process's short name "exe" instead of "srun".
std::string own_program() {
    std::string link = "/proc/self/exe";
    std::array<char, 4096> buffer{};
    const ssize_t length = ::readlink(link.c_str(), buffer.data(), buffer.size());
    if (length <= 0 || static_cast<std::size_t>(length) == buffer.size()) return link;
    const std::string name(buffer.data(), static_cast<std::size_t>(length));
    struct stat named {};
    struct stat running {};
    const bool same = ::stat(name.c_str(), &named) == 0 && ::stat(link.c_str(), &running) == 0 &&
                      named.st_dev == running.st_dev && named.st_ino == running.st_ino;
    return same ? name : link;
}

}  // namespace

std::vector<std::string> placed_command_line(const SrunArgs& args, std::size_t num_tasks,
                                             const std::string& commmap_value) {
    std::vector<std::string> argv = {args.program};
    for (const SrunArgs::Given& option : args.options) {
        if (std::find(dropped.begin(), dropped.end(), option.name) != dropped.end()) continue;
        argv.push_back("--" + std::string(option.name) + (option.value ? "=" + *option.value : ""));
    }
    argv.push_back("--ntasks=" + std::to_string(num_tasks));
    argv.push_back("--commmap=" + commmap_value);
    // A command that begins with '-' was after "--".
    if (!args.command.empty() && args.command.front().starts_with('-')) argv.emplace_back("--");
    argv.insert(argv.end(), args.command.begin(), args.command.end());
    return argv;
}

std::optional<Relaunch> Relaunch::of_this_process() {
    const char* value = std::getenv(variable);
    if (value == nullptr) return std::nullopt;
    const std::string_view text = value;
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto process = parse_number(text.substr(0, colon));
    const auto fd = parse_number(text.substr(colon + 1));
    if (!process || !fd || *process != static_cast<std::uint64_t>(::getpid()) || *fd < 3 ||
        *fd > 1u << 20)
        return std::nullopt;
    return Relaunch{static_cast<int>(*fd)};
}

Result<FileDescriptor> hostfile_in_memory(std::string_view content) {
    FileDescriptor fd(
        ::memfd_create("commmap-hostfile", 0));  // not CLOEXEC: srun reads it after exec
    if (fd && fd.get() < 3) fd.reset(::dup(fd.get()));
    const auto failed = [] {
        return Error{Errc::io, std::string("no host file in memory: ") + std::strerror(errno)};
    };
    if (!fd) return failed();
    while (!content.empty()) {
        const ssize_t written = ::write(fd.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed();
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return fd;
}

Error relaunch(const std::vector<std::string>& argv, const FileDescriptor& hostfile) {
    std::vector<std::string> words = argv;
    std::vector<char*> pointers = pointers_to(words);
    const std::string fd = std::to_string(hostfile.get());
    ::setenv("SLURM_HOSTFILE", ("/proc/self/fd/" + fd).c_str(), 1);
    ::setenv(Relaunch::variable, (std::to_string(::getpid()) + ":" + fd).c_str(), 1);
    ::execv(own_program().c_str(), pointers.data());
    const int error = errno;
    ::unsetenv("SLURM_HOSTFILE");
    ::unsetenv(Relaunch::variable);
    return Error{Errc::io, std::string("srun cannot be started again: ") + std::strerror(error)};
}

}  // namespace commmap::spank
