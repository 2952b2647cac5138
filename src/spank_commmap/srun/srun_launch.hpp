// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "spank_commmap/process/ending_signals.hpp"
#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/launch_facts.hpp"
#include "spank_commmap/srun/launch_messages.hpp"
#include "spank_commmap/srun/own_job_end.hpp"
#include "spank_commmap/srun/relaunch/planned_hosts.hpp"
#include "spank_commmap/srun/request/step_request.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"
#include "spank_commmap/srun/run_recording.hpp"
#include "spank_commmap/srun/standalone_choice.hpp"

namespace commmap::spank {

/// One launch, in its srun: the state between Slurm's hooks, and the work of each hook.
/// The table in plugin.cpp shows all hooks in all situations. salloc and sbatch call only option().
///
/// An object lives as long as its process, because handlers of the process's end refer to it.
class SrunLaunch {
public:
    /// @param slurm, actions  must live as long as this object
    SrunLaunch(Slurm& slurm, LaunchActions& actions);
    SrunLaunch(const SrunLaunch&) = delete;
    SrunLaunch& operator=(const SrunLaunch&) = delete;

    /// Reads options from plugstack.conf and the environment, and prints one line for each wrong
    /// one.
    /// Prepares srun's environment for a standalone launch that may be planned.
    /// @param command_line  of this srun
    /// @param plugstack     the plugin's arguments in plugstack.conf
    void init(const Result<std::vector<std::string>>& command_line,
              const std::vector<std::string_view>& plugstack);
    /// Takes a value of --commmap, from the command line or handed on by salloc or sbatch. The last
    /// value wins.
    /// Does not return for "help".
    /// Errors: the value is wrong.
    [[nodiscard]] Status option(const std::string& value);
    /// Plans a step inside an allocation. If there is something to gain, starts srun again in the
    /// planned order and does not return.
    /// Does not return for a dry run either.
    [[nodiscard]] Status init_post_opt();
    /// Plans a standalone srun, as above: its step exists, and no task runs yet.
    /// In the second srun, compares the layout that Slurm made with the planned one.
    void local_user_init(std::uint32_t job, std::uint32_t step);
    /// Collects the profile of a recorded step, and leaves the run's record: srun is about to end.
    [[nodiscard]] Status exit();

private:
    void prepare_standalone();
    Status take_over();
    Status choose_mode();
    Status plan_nothing();
    void look_at_launch();
    void look_in_allocation(const SrunArgs& args);
    void leave(const StepDecision& decision, const SrunArgs& args);
    void leave_order(const Refusal& refusal);
    Status dry_run();
    void refuse_dry_run();
    [[noreturn]] void end_dry_run();
    void plan_standalone();
    void bind_only();
    void compare_with_plan();
    /// Returns the layout of local_user_init()'s step; nullptr when Slurm does not tell.
    const StepLayout* layout();
    LaunchContext context(const Options& options, const std::optional<OwnJob>& own_job,
                          const EndingSignals* taken);

    Slurm& slurm_;
    LaunchActions& actions_;
    LaunchFacts launch_;
    LaunchMessages messages_;
    RunRecording recording_;
    OwnJobEnd own_job_end_;
    StandaloneChoice standalone_choice_;

    bool post_opt_done_ = false;
    /// srun makes its allocation itself, and its step may be planned. Set in init().
    bool standalone_ = false;
    bool overlap_is_ours_ = false;  ///< this object set SLURM_OVERLAP, not the user
    bool dry_run_refused_ = false;
    /// Reason why the order is left to Slurm while the CPUs may be planned once the step exists.
    /// Empty: the user wants so (keep=order).
    std::optional<std::string> order_left_;
    PlannedHosts planned_hosts_;        ///< only in the second srun
    std::optional<StepLayout> layout_;  ///< from Slurm, asked for once
};

}  // namespace commmap::spank
