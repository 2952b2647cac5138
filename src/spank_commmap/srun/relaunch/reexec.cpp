// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/relaunch/reexec.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/memory_file.hpp"
#include "core/base/number.hpp"
#include "spank_commmap/process/argv_pointers.hpp"
#include "spank_commmap/process/ending_signals.hpp"

namespace commmap::spank {
namespace {

constexpr std::array dropped = {"nodes",        "ntasks",   "ntasks-per-node", "tasks-per-node",
                                "nodelist",     "nodefile", "exclude",         "relative",
                                "distribution", "commmap"};

/// Options that srun itself forgets once it has its allocation (srun_job.c, _set_step_opts), and
/// options that a step in an allocation complains about.
constexpr std::array of_allocation = {"time",      "time-min",  "constraint", "begin",
                                      "deadline",  "hold",      "dependency", "exclusive",
                                      "immediate", "core-spec", "prolog"};
/// Tasks per node do not fit a host file of other nodes: srun 23.02 and 23.11 make another number
/// of tasks of this variable (docs/admin/slurm-versions.md).
constexpr std::array variables_of_layout = {"SLURM_NTASKS_PER_NODE"};
constexpr std::array variables_of_allocation = {"SLURM_TIMELIMIT", "SLURM_CONSTRAINT",
                                                "SLURM_EXCLUSIVE", "SLURM_CORE_SPEC"};
constexpr std::string_view aside = "COMMMAP_ASIDE_";

template <std::size_t Size>
bool among(const std::array<const char*, Size>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the path of srun's own file: its name, if that still is the same file. Executing
/// /proc/self/exe would change the process's short name from "srun" to "exe".
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
                                             const std::string& commmap_value,
                                             bool own_allocation) {
    const bool step_has_its_cpus = args.has("cpus-per-task");
    std::vector<std::string> argv = {args.program};
    for (const SrunArgs::Given& option : args.options) {
        if (among(dropped, option.name)) continue;
        const bool exclusive_step = option.name == "exclusive" && step_has_its_cpus;
        if (own_allocation && among(of_allocation, option.name) && !exclusive_step) continue;
        argv.push_back("--" + std::string(option.name) + (option.value ? "=" + *option.value : ""));
    }
    // The first srun ran the prolog, when there was the job's allocation and no task.
    if (own_allocation) argv.emplace_back("--prolog=none");
    argv.push_back("--ntasks=" + std::to_string(num_tasks));
    argv.push_back("--commmap=" + commmap_value);
    // A command that begins with '-' stood behind "--".
    if (!args.command.empty() && args.command.front().starts_with('-')) argv.emplace_back("--");
    argv.insert(argv.end(), args.command.begin(), args.command.end());
    return argv;
}

std::optional<Relaunch> Relaunch::of_this_process() {
    const char* value = std::getenv(variable);
    if (value == nullptr) return std::nullopt;
    std::vector<std::uint64_t> numbers;
    for (std::string_view text = value;;) {
        const auto colon = text.find(':');
        const auto number = parse_number(text.substr(0, colon));
        if (!number || *number > UINT32_MAX) return std::nullopt;
        numbers.push_back(*number);
        if (colon == std::string_view::npos) break;
        text.remove_prefix(colon + 1);
    }
    const auto is_descriptor = [](std::uint64_t number) {
        return number >= 3 && number <= 1U << 20;
    };
    if ((numbers.size() != 2 && numbers.size() != 4) ||
        numbers[0] != static_cast<std::uint64_t>(::getpid()) || !is_descriptor(numbers[1]))
        return std::nullopt;
    Relaunch found{static_cast<int>(numbers[1]), std::nullopt};
    if (numbers.size() == 4) {
        if (numbers[2] == 0 || !is_descriptor(numbers[3])) return std::nullopt;
        found.own_job =
            OwnJob{static_cast<std::uint32_t>(numbers[2]), static_cast<int>(numbers[3])};
    }
    return found;
}

void set_aside_variables(const SrunArgs& args, bool own_allocation) {
    const auto set_aside = [](const char* name) {
        const char* value = std::getenv(name);
        if (value == nullptr) return;
        ::setenv((std::string(aside) + name).c_str(), value, 1);
        ::unsetenv(name);
    };
    for (const char* name : variables_of_layout) set_aside(name);
    for (const char* option : {"ntasks-per-node", "tasks-per-node"}) {
        const std::string kept = std::string(aside) + "SLURM_NTASKS_PER_NODE";
        if (const auto value = args.value_of(option); value)
            ::setenv(kept.c_str(), value->c_str(), 1);
    }
    if (!own_allocation) return;
    for (const char* name : variables_of_allocation) set_aside(name);
}

void put_back_variables() {
    const auto put_back = [](const char* name) {
        const std::string kept = std::string(aside) + name;
        const char* value = std::getenv(kept.c_str());
        if (value == nullptr) return;
        ::setenv(name, value, 1);
        ::unsetenv(kept.c_str());
    };
    for (const char* name : variables_of_layout) put_back(name);
    for (const char* name : variables_of_allocation) put_back(name);
}

Result<FileDescriptor> hostfile_in_memory(std::string_view content) {
    // not CLOEXEC: srun reads it after exec
    FileDescriptor fd = memory_file("commmap-hostfile", 0);
    if (fd && fd.get() < 3) fd.reset(::fcntl(fd.get(), F_DUPFD, 3));
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

Error relaunch(const SrunArgs& args, const std::vector<std::string>& argv,
               const FileDescriptor& hostfile, const std::optional<OwnJob>& own_job,
               const ProcessState& at_start) {
    std::vector<std::string> words = argv;
    std::vector<char*> pointers = argv_pointers(words);
    const std::string fd = std::to_string(hostfile.get());
    ::setenv("SLURM_HOSTFILE", ("/proc/self/fd/" + fd).c_str(), 1);
    const int shepherd = own_job ? own_job->shepherd : -1;
    const std::string job =
        own_job ? ":" + std::to_string(own_job->job) + ":" + std::to_string(shepherd) : "";
    ::setenv(Relaunch::variable, (std::to_string(::getpid()) + ":" + fd + job).c_str(), 1);
    set_aside_variables(args, own_job.has_value());
    const std::string program = own_program();
    const ProcessState as_it_is = ProcessState::now();
    // Another thread may wait for these signals. Then they must not be blocked here, not even for a
    // moment; the second srun blocks them itself.
    std::span<const int> open;
    if (own_job) open = EndingSignals::ending;
    at_start.restore_for_exec({hostfile.get(), shepherd}, open);
    ::execv(program.c_str(), pointers.data());
    const int error = errno;
    as_it_is.restore_for_exec({});
    put_back_variables();
    ::unsetenv("SLURM_HOSTFILE");
    ::unsetenv(Relaunch::variable);
    return Error{Errc::io, std::string("srun cannot be started again: ") + std::strerror(error)};
}

}  // namespace commmap::spank
