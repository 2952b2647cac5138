// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/clock_setup.hpp"

#include <unistd.h>

#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/preload/preload_list.hpp"
#include "spank_commmap/slurmstepd/preload/task_preload.hpp"

namespace commmap::spank {
namespace {

constexpr const char* run_clock = "libcommmap_clock.so";
/// Variable with the path of the file that libcommmap_clock.so writes.
constexpr const char* run_clock_variable = "COMMMAP_CLOCK";

}  // namespace

void set_up_clock(spank_t spank, const StepOption::Arguments& plugstack,
                  const ContainerCheck& containers, const std::string& path) {
    if (path.empty() || !speaks_for_step(spank)) return;
    if (!containers.why_nothing_is_preloaded(spank, "").empty()) return;
    const std::string library = directory_of_hooks(options_of_admin(plugstack)) + "/" + run_clock;
    if (!can_be_preloaded(library) || ::access(library.c_str(), R_OK) != 0) return;
    preload(spank, {library});
    set_task_variable(spank, run_clock_variable, path);
}

void forget_clock(spank_t spank) {
    if (!task_variable(spank, run_clock_variable)) return;
    unset_task_variable(spank, run_clock_variable);
    forget_preloaded(spank, {run_clock});
}

}  // namespace commmap::spank
