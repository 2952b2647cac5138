// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/record_collection.hpp"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/slurm/spank_api.hpp"

namespace commmap::spank {
namespace {

constexpr std::chrono::seconds collect_seconds{10};
constexpr std::uint64_t collect_memory_mib = 512;

/// Runs the program, and runs it again each time when a signal has ended it.
/// proctrack/linuxproc looks for a step's processes among slurmstepd's children. So each signal to
/// the step also reaches this program: a second TERM, and the KILL behind it.
/// A program that has been started again reads the same memory.
ProgramResult run_until_it_is_left_alone(const std::vector<std::string>& argv,
                                         const ProgramUser& user) {
    const auto deadline = std::chrono::steady_clock::now() + collect_seconds;
    ProgramResult done;
    for (auto left = collect_seconds; left > std::chrono::seconds(0);) {
        const auto seconds = static_cast<std::uint64_t>(left.count());
        done = run_limited(
            argv,
            {.seconds = seconds, .memory_mib = collect_memory_mib, .whole_environment = false},
            nullptr, {}, &user);
        if (done.end != ProgramResult::End::failed ||
            !done.reason.starts_with("was killed by signal"))
            break;
        constexpr timespec moment{0, 100'000'000};
        ::nanosleep(&moment, nullptr);
        left = std::chrono::ceil<std::chrono::seconds>(deadline - std::chrono::steady_clock::now());
    }
    return done;
}

}  // namespace

void RecordCollection::prepare(spank_t spank) {
    memories_.make(number_item(spank, S_JOB_LOCAL_TASK_COUNT).value_or(0));
}

std::string RecordCollection::hand_over(spank_t spank) {
    return memories_.hand_over(local_task_id(spank).value_or(0));
}

Status RecordCollection::task_ended(spank_t spank) {
    memories_.one_ended();
    return memories_.take_what_is_left() ? collect(spank) : Ok{};
}

/// Collects by a program that is the user, for the tasks' memory is theirs.
Status RecordCollection::collect(spank_t spank) const {
    const auto job = number_item(spank, S_JOB_ID);
    const auto step = number_item(spank, S_JOB_STEPID);
    const auto node = number_item(spank, S_JOB_NODEID);
    auto user = job_user(spank);
    if (::geteuid() != 0) return Ok{};  // a slurmd that is not root's cannot become the user
    if (!job || !step || !node || !user)
        return Error{Errc::library, "Slurm does not say whose step it is"};
    user->descriptors = memories_.descriptors();
    std::vector<std::string> argv = {installed_file("commmap-collect")};
    for (const std::uint32_t number : {*job, *step, *node}) argv.push_back(std::to_string(number));
    for (const int fd : user->descriptors) argv.push_back(std::to_string(fd));
    const ProgramResult done = run_until_it_is_left_alone(argv, *user);
    // Only one node tells an error that all nodes have, such as that of the directory.
    const bool tells = *node == 0 || done.refused || memories_.has_whole_run();
    if (done.end == ProgramResult::End::answered || !tells) return Ok{};
    return Error{Errc::io,
                 "what was recorded on this node is lost: '" + argv.front() + "' " + done.reason};
}

}  // namespace commmap::spank
