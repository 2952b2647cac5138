// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// This file is the table of Slurm's hooks: what each one does in each situation. All of it happens
// behind spank_guard. A "-" says that the hook only notes its arguments.
//
// srun (srun/srun_launch.hpp). Here "init" also reads all settings, and reports wrong ones.
// The unit test srun/srun_launch_test.cpp has a case for each cell, ROW_COLUMN.
//
// | situation          | init         | option     | init_post_opt  | local_user_init | exit |
// | ------------------ | ------------ | ---------- | -------------- | --------------- | ---- |
// | off                | -            | -          | -              | -               | -    |
// | profile            | -            | -          | -              | watches the run | (a)  |
// | auto_in_allocation | -            | -          | plans (b)      | watches the run | (c)  |
// | auto_standalone    | overlaps (d) | -          | overlap ends   | plans (b)       | -    |
// | second_srun        | -            | -          | takes over (e) | compares (f)    | (c)  |
// | keep_order         | -            | -          | -              | plans CPUs (g)  | (c)  |
// | dry_run            | -            | -          | plans, ends    | not called      | -    |
// | inside_a_step      | -            | -          | says so        | -               | -    |
// | switched_off       | -            | -          | says so        | -               | -    |
// | wrong_value        | says so      | refuses it | not called     | not called      | -    |
//
// (a) Collects the profile where the tasks could not save it, and leaves the run's record.
// (b) Where a plan gains something, srun is started again and the hook does not return.
// (c) Leaves the run's record where the planner said something about the run.
// (d) Asks Slurm for an overlapping step, which holds nothing that the second srun needs.
// (e) Reads and removes the data that the first srun left, and restores the user's variables. In a
//     job that srun made itself it arranges the end of the job.
// (f) Warns where Slurm placed the tasks otherwise than planned, and watches the run.
// (g) Keeps the order, and hands the planned CPUs to the tasks.
//
// slurmstepd (slurmstepd/step_hooks.hpp). In every row task_init removes our variables from the
// task. Where it "forgets", it does nothing else.
// The unit test slurmstepd/step_hooks_test.cpp has a case for each cell, ROW_COLUMN.
//
// | situation          | init       | user_init     | task_init     | task_exit    | exit         |
// | ------------------ | ---------- | ------------- | ------------- | ------------ | ------------ |
// | off                | -          | -             | forgets       | -            | -            |
// | profile            | -          | shares memory | sets recorder | collects (h) | collects (h) |
// | auto_in_allocation | -          | -             | forgets       | -            | -            |
// | auto_standalone    | -          | -             | forgets       | -            | -            |
// | second_srun        | takes (l)  | gets CPUs (i) | binds         | -            | keeps (j)    |
// | keep_order         | -          | gets CPUs (i) | binds         | -            | keeps (j)    |
// | dry_run            | not called | not called    | not called    | not called   | not called   |
// | inside_a_step      | -          | -             | forgets (k)   | -            | -            |
// | switched_off       | -          | -             | forgets       | -            | -            |
// | wrong_value        | -          | -             | forgets       | -            | -            |
//
// (h) Collects records that the tasks could not save, once: after the last task, or at the end.
// (i) Loads the CPUs that root has kept of this node; else makes memory in which the tasks share
//     the answer.
// (j) Where a task had to ask hwloc, root asks hwloc too and keeps the answer for later steps.
// (k) Also removes the recorder and the clock of the step around this one.
// (l) Takes variables of srun's away from the MPI plugin where srun made the job itself. For some
//     releases it hands the MPI plugin the map of nodes.
//
// Tests of a row on the emulated cluster (tests/slurm):
//
// off: test_placement.py::test_off_is_slurms_own
// profile: test_partial.py::test_what_was_recorded_is_kept
// profile: test_recorded.py::test_every_mpi_and_language_is_recorded_alike
// auto_in_allocation: test_placement.py::test_keep_changes_nothing
// auto_standalone: test_standalone.py::test_without_a_plan_the_job_runs
// second_srun: test_placement.py::test_order_and_binding
// second_srun: test_standalone.py::test_order_and_binding
// second_srun: test_binding.py::test_hwloc_is_asked_once_for_all_launches
// keep_order: test_binding.py::test_keep_order_is_binding_only
// dry_run: test_telling.py::test_dry_run_in_an_allocation
// inside_a_step: test_recorded.py::test_a_step_inside_has_nothing_of_the_recording
// inside_a_step: test_placement.py::test_nested_srun
// switched_off: test_placement.py::test_switched_off_by_the_admin
// wrong_value: test_bad_input.py::test_value_on_the_command_line
// wrong_value: test_bad_input.py::test_value_in_the_environment

#include <slurm/spank.h>

#include <memory>
#include <string>

#include "core/text/one_line.hpp"
#include "spank_commmap/plugin_entry.h"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/step_hooks.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/placed_launch.hpp"
#include "spank_commmap/srun/process_actions.hpp"
#include "spank_commmap/srun/srun_launch.hpp"

namespace {

using commmap::Ok;
using commmap::Status;
using commmap::spank::find_installed_paths;
using commmap::spank::left_alone;
using commmap::spank::number_item;
using commmap::spank::plugstack_arguments;
using commmap::spank::print_line;
using commmap::spank::ProcessActions;
using commmap::spank::read_own_command_line;
using commmap::spank::SlurmLibrary;
using commmap::spank::spank_guard;
using commmap::spank::SrunLaunch;
using commmap::spank::StepHooks;

char option_name[] = "commmap";
char option_argument[] = "off|profile|auto[,WORD...]|help";
char option_usage[] =
    "[commmap] profile: record who talks to whom; auto: place tasks by that record (rank order and "
    "CPU binding); help: the words";

spank_option option = {option_name, option_argument, option_usage, 1, 0, commmap_option};

/// Returns the launch, which srun, salloc or sbatch keeps between the hooks.
/// A hook is a C function without an argument of ours, so all hooks find the launch through this
/// one pointer. The first hook makes the launch. The launch is never destroyed: srun may call the
/// exit hook, and our handlers of its end, after the destructors of static objects have run.
SrunLaunch& srun_launch() {
    struct Parts {
        SlurmLibrary slurm;
        ProcessActions actions;
        SrunLaunch launch{slurm, actions};
    };
    static Parts* const parts = std::make_unique<Parts>().release();
    return parts->launch;
}

/// Returns the step, which slurmstepd keeps between the hooks. As srun's launch, the step is found
/// through one pointer and never destroyed. The tasks inherit it.
StepHooks& step_hooks() {
    static StepHooks* const hooks = std::make_unique<StepHooks>().release();
    return *hooks;
}

/// Reports to the user, in srun and in a task that has become the user.
void report_to_user(const std::string& text) { print_line(left_alone(text)); }
/// Reports to Slurm's own log, in slurmd, slurmstepd, salloc and sbatch.
void report_to_log(const std::string& text) {
    slurm_error("commmap: %s", commmap::one_line(text).c_str());
}
/// Reports a failure that costs nobody anything: the next step tries again.
void report_in_passing(const std::string& text) {
    slurm_debug("commmap: %s", commmap::one_line(text).c_str());
}

}  // namespace

extern "C" {

int commmap_init(spank_t spank, int argc, char** argv) {
    return spank_guard("init", report_to_log, [&]() -> Status {
        find_installed_paths();
        const spank_err_t registered = spank_option_register(spank, &option);
        if (registered != ESPANK_SUCCESS) {
            return commmap::Error{commmap::Errc::library,
                                  std::string("option --commmap: ") + spank_strerror(registered)};
        }
        if (spank_context() == S_CTX_LOCAL) {
            srun_launch().init(read_own_command_line(), plugstack_arguments(argc, argv));
        }
        if (spank_context() == S_CTX_REMOTE) step_hooks().init(spank);
        return Ok{};
    });
}

int commmap_option(int /*value*/, const char* argument, int remote) {
    int result = 0;
    const int guarded = spank_guard("option", report_to_log, [&]() -> Status {
        if (remote != 0) {
            step_hooks().option(argument);
            return Ok{};
        }
        const Status status = srun_launch().option(argument == nullptr ? "" : argument);
        if (status) return Ok{};
        print_line(status.error().message);
        result = -1;
        return Ok{};
    });
    return guarded != 0 ? guarded : result;
}

int commmap_init_post_opt(spank_t /*spank*/, int /*argc*/, char** /*argv*/) {
    return spank_guard("init_post_opt", report_to_user, []() -> Status {
        if (spank_context() != S_CTX_LOCAL) return Ok{};
        return srun_launch().init_post_opt();
    });
}

int commmap_local_user_init(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("local_user_init", report_to_user, [&]() -> Status {
        if (spank_context() != S_CTX_LOCAL) return Ok{};
        const auto job = number_item(spank, S_JOB_ID);
        const auto step = number_item(spank, S_JOB_STEPID);
        if (job && step) srun_launch().local_user_init(*job, *step);
        return Ok{};
    });
}

int commmap_user_init(spank_t spank, int argc, char** argv) {
    return spank_guard("user_init", report_to_log, [&]() -> Status {
        return step_hooks().user_init(spank, plugstack_arguments(argc, argv));
    });
}

int commmap_task_init(spank_t spank, int argc, char** argv) {
    return spank_guard("task_init", report_to_user, [&]() -> Status {
        return step_hooks().task_init(spank, plugstack_arguments(argc, argv));
    });
}

int commmap_task_exit(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("task_exit", report_to_log,
                       [&]() -> Status { return step_hooks().task_exit(spank); });
}

int commmap_exit(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("exit", report_in_passing, [&]() -> Status {
        if (spank_context() == S_CTX_LOCAL) return srun_launch().exit();
        if (spank_context() != S_CTX_REMOTE) return Ok{};
        return step_hooks().exit(spank);
    });
}
}
