#include <slurm/spank.h>

#include <string>

#include "core/text/one_line.hpp"
#include "spank_commmap/plugin_entry.h"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/say.hpp"
#include "spank_commmap/slurmstepd/remote_context.hpp"
#include "spank_commmap/srun/local_context.hpp"
#include "spank_commmap/srun/placed_launch.hpp"

// One row for each hook: which context it has work in. Everything happens behind spank_guard.

namespace {

using commmap::Ok;
using commmap::Status;
using commmap::spank::find_installed_paths;
using commmap::spank::left_alone;
using commmap::spank::LocalContext;
using commmap::spank::RemoteContext;
using commmap::spank::say;
using commmap::spank::spank_guard;

char option_name[] = "commmap";
char option_argument[] = "off|profile|auto[,WORD...]|help";
char option_usage[] =
    "[commmap] profile: record who talks to whom; auto: place tasks by that record (rank order and "
    "CPU binding); help: the words";

spank_option option = {option_name, option_argument, option_usage, 1, 0, commmap_option};

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
        if (spank_context() == S_CTX_LOCAL) LocalContext().init(argc, argv);
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
        const Status status = LocalContext().option(argument == nullptr ? "" : argument);
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
        return LocalContext().post_opt();
    });
}

int commmap_local_user_init(spank_t spank, int /*argc*/, char** /*argv*/) {
    return spank_guard("local_user_init", report_to_user, [&]() -> Status {
        if (spank_context() != S_CTX_LOCAL) return Ok{};
        return LocalContext().user_init(spank);
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
        if (spank_context() == S_CTX_LOCAL) return LocalContext().exit();
        if (spank_context() != S_CTX_REMOTE) return Ok{};
        return RemoteContext::exit(spank);
    });
}
}
