// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/run_recording.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "core/config/sources.hpp"
#include "core/history/store/clock_file.hpp"
#include "core/history/store/inbox.hpp"
#include "core/text/slurm_counts.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/srun/commmap_variable.hpp"
#include "spank_commmap/srun/known_profiles.hpp"
#include "spank_commmap/srun/process/aside.hpp"
#include "spank_commmap/srun/process/working_directory.hpp"
#include "spank_commmap/srun/request/step_request.hpp"

namespace commmap::spank {
namespace {

void report_nothing(const std::string& /*text*/) {}

/// Time for writing the record: a job may end with its last srun, and with the job ends what runs
/// aside.
constexpr std::chrono::milliseconds longest_for_record{100};

}  // namespace

void RunRecording::begin() {
    if (!launch_.args || launch_.args.value().command.empty() || own_variable("SLURM_HET_SIZE"))
        return;
    // The environment then says nothing about this step.
    if (launch_.args.value().has("preserve-env") || own_variable("SLURM_PRESERVE_ENV")) return;
    const bool is_unplanned = note_unplanned();
    if (!watch_.wanted()) return;
    // a profile has the time, and mode off loads nothing
    if (launch_.options.history_clock == RunClock::mpi && !is_unplanned) hand_clock_over();
    watch_.begin(launch_.job, launch_.step);
    process_ = ::getpid();
    actions_.at_exit(at_exit, this);
}

/// Notes a run that is recorded without a planner. Returns false for every other run: code that
/// asked the planner has noted its answer.
bool RunRecording::note_unplanned() {
    const Options& options = launch_.options;
    const bool is_profiled = options.mode == Mode::profile;
    const bool is_counted = options.mode == Mode::off && options.count_off && !options.disabled &&
                            (launch_.option_value || variable_says_off());
    const bool is_unplanned = (is_profiled || is_counted) && launch_.by_slurm &&
                              !launch_.relaunch && !launch_.inside_step;
    if (is_unplanned) {
        const std::string program = planned_words(launch_.args.value().command).front();
        watch_.note_unplanned(is_profiled ? LaunchedAs::profiled : LaunchedAs::off,
                              program.substr(program.rfind('/') + 1));
    }
    return is_unplanned;
}

/// Has rank 0's task load the library that reads the clock, and tells it the file for the time.
void RunRecording::hand_clock_over() {
    const auto profiles = profile_directory(launch_.options);
    if (!profiles) return;
    clock_file_ = new_clock_file(absolute_path(profiles.value()), launch_.job, launch_.step);
    ::setenv(clock_variable, clock_file_.c_str(), 1);
}

void RunRecording::at_exit(int status, void* run_recording) {
    static_cast<RunRecording*>(run_recording)->note_status(status);
}

/// Notes the exit code, which only an exit handler knows.
/// srun 22.05 calls the exit hook in an exit handler of its own, after this one. The other order
/// works too.
void RunRecording::note_status(int status) {
    if (process_ != ::getpid()) return;  // in a child that srun forked
    status_ = status;
    const bool hook_was_there = watch_.ended();
    watch_.end();
    if (hook_was_there) leave();
}

void RunRecording::leave() {
    if (!status_ || process_ != ::getpid()) return;
    if (*status_ == 0) spank_guard("record", report_nothing, [this] { return put_record(); });
    forget_time();
}

Status RunRecording::put_record() {
    const auto tasks = parse_slurm_counts(own_variable("SLURM_TASKS_PER_NODE").value_or(""));
    if (!tasks) return Ok{};
    auto record = watch_.record({tasks.value(), launch_.cpus_per_task,
                                 planned_words(launch_.args.value().command), launch_.options.tag});
    if (!record) return Ok{};
    const auto profiles = profile_directory(launch_.options);
    if (!profiles) return Ok{};
    if (tells_outcome_) actions_.print_line(outcome_text(*record));
    // aside, for the directory may not answer
    do_aside(longest_for_record, [&] {
        record->clock = launch_.options.history_clock;
        if (!clock_file_.empty())
            record->mpi_s = take_clock_file(clock_file_, record->run.wall_s).value_or(0.0);
        if (!may_be_compared(*record, profiles.value())) return;
        static_cast<void>(
            RunInbox(profiles.value(), launch_.options.profile_visibility).put(*record));
    });
    clock_file_.clear();  // the file is taken
    return Ok{};
}

/// Returns whether a run may be compared. False for a program without a profile, which may not even
/// be an MPI program.
/// Sets the program's identity for a run with --commmap=off.
bool RunRecording::may_be_compared(RunRecord& record, const std::string& profiles) {
    if (record.run.launched_as == LaunchedAs::profiled)
        return has_profile_of_step(profiles, launch_.job, launch_.step);
    if (record.run.launched_as != LaunchedAs::off) return true;
    const Options& options = launch_.options;
    // commmap is not asked if it cannot know the program
    if (record.num_ranks < 2 || (options.site_profiles.empty() && !has_profiles(profiles)))
        return false;
    const SrunArgs& args = launch_.args.value();
    const auto command = locate(planned_words(args.command), args.value_of("chdir").value_or(""),
                                working_directory(), own_variable("PATH").value_or(""));
    if (!command) return false;
    record.application_id =
        identity_with_profile(command.value(), program_of(options), options, profiles,
                              record.num_ranks, actions_.program_runner());
    return !record.application_id.empty();
}

/// Removes the file of rank 0's time, if no record has taken it.
void RunRecording::forget_time() {
    const std::string file = std::exchange(clock_file_, std::string());
    if (file.empty()) return;
    spank_guard("record", report_nothing, [&]() -> Status {
        do_aside(longest_for_record, [&] { static_cast<void>(take_clock_file(file, 0.0)); });
        return Ok{};
    });
}

}  // namespace commmap::spank
