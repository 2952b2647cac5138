#pragma once

#include <slurm/spank.h>

#include <string>

#include "commmap/result.hpp"
#include "core/history/run_record.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"

namespace commmap::spank {

/// What happens in srun. One object for the life of the process.
class LocalContext {
public:
    /// Options from plugstack.conf and the environment; one line for each that makes no sense.
    void init(int argc, char** argv);
    /// A value of --commmap, from the command line or handed on by salloc or sbatch; the last one
    /// wins. Does not return for "help".
    [[nodiscard]] Status option(const std::string& value);
    /// Plans a step inside an allocation and, when there is something to gain, does not return:
    /// srun is started again in the planned order. Does not return for a dry run.
    [[nodiscard]] Status post_opt();
    /// The step exists, no task runs yet. A standalone srun is planned here, as above; in the
    /// second srun the layout that Slurm made is compared with the planned one.
    [[nodiscard]] Status user_init(spank_t spank);
    /// srun is about to end: makes a profile of what the nodes kept of a recorded step, where they
    /// did, and says so (collect_seconds at most).
    [[nodiscard]] Status exit();

private:
    struct State;
    static State& state();
    static void prepare_standalone();
    static void look_at_launch();
    [[noreturn]] static void end_dry_run();
    static Status take_over();
    static void leave_order(const Refusal& refusal);
    /// Of the step that user_init is called for; nullptr when Slurm does not tell.
    static const StepLayout* layout();
    static void bind_only();
    static void plan_standalone();
    static void compare_with_plan();
    static void watch_run();
    static void hand_clock_over();
    static void note_status(int status, void* unused);
    static bool may_be_compared(RunRecord& record, const std::string& profiles);
    static void forget_time();
    static void leave_record();
    static Status put_record();
    static Status collect_profile();
};

}  // namespace commmap::spank
