// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/process/process_state.hpp"
#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/relaunch/reexec.hpp"
#include "spank_commmap/srun/report_request.hpp"
#include "spank_commmap/srun/request/step_request.hpp"
#include "spank_commmap/srun/run_watch.hpp"

namespace commmap::spank {

/// One launch that may be placed, with the facts about its srun.
struct LaunchContext {
    Slurm& slurm;
    const SrunArgs& args;
    const Options& options;
    const ProcessState& at_start;
    std::optional<OwnJob> own_job;  ///< job that this srun made; none: in an allocation
    const EndingSignals* taken;     ///< if signals do not stay pending; nullptr: they do
    std::function<void(const std::string&)> tell;  ///< prints one line for the user
    ReportRequest& report;
    RunWatch& run;
};

/// Plans, and starts srun again in the planned order.
/// Returns when the launch stays as it is, after having told and noted why, and for a dry run.
/// A TERM, HUP or QUIT that came while planning ends srun in here.
void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request);

/// What became of the CPUs of a step that keeps its order.
enum class Binding {
    planned,  ///< the tasks find their CPUs in srun's environment
    kept,     ///< Slurm binds: its placement stays, or there are no CPU sets to hand over
    kept_around_inside,  ///< the same, and something runs otherwise inside the tasks
    declined             ///< there is no plan; the user was told and the reason noted
};

/// Plans a step that exists and keeps its order (options.keep is order), without a second srun.
/// Leaves the tasks' CPUs in srun's environment, from which the tasks get them.
/// @pre request.layout is there, and request.binding_left_to is not
[[nodiscard]] Binding plan_and_bind(const LaunchContext& launch, const StepRequest& request);

/// Returns "REASON; launching as without commmap".
[[nodiscard]] std::string left_alone(const std::string& reason);

}  // namespace commmap::spank
