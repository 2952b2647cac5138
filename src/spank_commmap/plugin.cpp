#include <slurm/spank.h>

#include <memory>
#include <string>

#include "core/text/one_line.hpp"
#include "spank_commmap/plugin_entry.h"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/say.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/remote_context.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/placed_launch.hpp"
#include "spank_commmap/srun/process_actions.hpp"
#include "spank_commmap/srun/srun_launch.hpp"

// One row for each hook: which context it has work in. Everything happens behind spank_guard.

namespace {

using commmap::Ok;
using commmap::Status;
using commmap::spank::find_installed_paths;
using commmap::spank::left_alone;
using commmap::spank::number_item;
using commmap::spank::plugstack_arguments;
using commmap::spank::ProcessActions;
using commmap::spank::read_own_command_line;
using commmap::spank::RemoteContext;
using commmap::spank::say;
using commmap::spank::SlurmLibrary;
using commmap::spank::spank_guard;
using commmap::spank::SrunLaunch;

char option_name[] = "commmap";
char option_argument[] = "off|profile|auto[,WORD...]|help";
char option_usage[] =
    "[commmap] profile: record who talks to whom; auto: place tasks by that record (rank order and "
    "CPU binding); help: the words";

spank_option option = {option_name, option_argument, option_usage, 1, 0, commmap_option};

/// What srun, salloc or sbatch knows between the hooks. A hook is a C function without an argument
/// of ours, so each of them finds its launch through this one pointer. The launch is made by the
/// first hook. It is never destroyed: srun may call the exit hook, and our handlers of its end,
/// when destructors of static objects have already run.
SrunLaunch& srun_launch() {
    struct Parts {
        SlurmLibrary slurm;
        ProcessActions actions;
        SrunLaunch launch{slurm, actions};
    };
    static Parts* const parts = std::make_unique<Parts>().release();
    return parts->launch;
}

/// srun, and a task that has become the user.
void report_to_user(const std::string& text) { say(left_alone(text)); }
/// slurmd, slurmstepd, salloc, sbatch: Slurm's own log.
void report_to_log(const std::string& text) {
    slurm_error("commmap: %s", commmap::one_line(text).c_str());
}
/// What costs nobody anything: the next step tries again.
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
        if (spank_context() == S_CTX_REMOTE) RemoteContext::init(spank);
        return Ok{};
    });
}

int commmap_option(int /*value*/, const char* argument, int remote) {
    int result = 0;
    const int guarded = spank_guard("option", report_to_log, [&]() -> Status {
        if (remote != 0) {
            RemoteContext::option(argument);
            return Ok{};
        }
        const Status status = srun_launch().option(argument == nullptr ? "" : argument);
        if (status) return Ok{};
        say(status.error().message);
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
    return spank_guard("user_init", report_to_log,
                       [&]() -> Status { return RemoteContext::user_init(spank, argc, argv); });
}

int commmap_task_init(spank_t spank, int argc, char** argv) {
    return spank_guard("task_init", report_to_user,
                       [&]() -> Status { return RemoteContext::task_init(spank, argc, argv); });
}

int commmap_task_exit(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("task_exit", report_to_log,
                       [&]() -> Status { return RemoteContext::task_exit(spank); });
}

int commmap_exit(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("exit", report_in_passing, [&]() -> Status {
        if (spank_context() == S_CTX_LOCAL) return srun_launch().exit();
        if (spank_context() != S_CTX_REMOTE) return Ok{};
        return RemoteContext::exit(spank);
    });
}
}
