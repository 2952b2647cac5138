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

/// One launch that may be placed, and what is known of the srun that does it.
struct LaunchContext {
    Slurm& slurm;
    const SrunArgs& args;
    const Options& options;
    const ProcessState& at_start;
    std::optional<OwnJob> own_job;  ///< the job that this srun made; none: in an allocation
    const EndingSignals* taken;     ///< where signals do not stay pending; nullptr: they do
    std::function<void(const std::string&)> tell;  ///< one line for the user
    ReportRequest& report;
    RunWatch& run;
};

/// Plans and starts srun again in the planned order. Returns when the launch stays as it is, after
/// having told and noted why, and for a dry run; the end by a TERM, HUP or QUIT that came while
/// planning happens in here too.
void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request);

/// Plans a step that exists and keeps its order (options.keep is order); no second srun. Leaves the
/// tasks' CPUs in srun's environment, which they get. declined: told and noted as above.
/// @pre request.layout is there, and request.binding_left_to is not
enum class Binding { planned, kept, declined };
[[nodiscard]] Binding plan_and_bind(const LaunchContext& launch, const StepRequest& request);

/// The words at the end of every line about a launch that stays as it is.
[[nodiscard]] std::string left_alone(const std::string& reason);

}  // namespace commmap::spank
