// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/srun_launch.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "core/config/mode.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/handover/inside_value.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/srun/commmap_variable.hpp"

namespace commmap::spank {
namespace {

constexpr const char* overlap_variable = "SLURM_OVERLAP";

/// Returns whether an interrupt waits for srun, which will not see it.
bool interrupt_waits() {
    sigset_t pending;
    ::sigpending(&pending);
    return EndingSignals::interrupted() || ::sigismember(&pending, SIGINT) == 1;
}

}  // namespace

SrunLaunch::SrunLaunch(Slurm& slurm, LaunchActions& actions)
    : slurm_(slurm),
      actions_(actions),
      messages_(actions),
      recording_(launch_, actions),
      own_job_end_(slurm, actions) {}

void SrunLaunch::init(const Result<std::vector<std::string>>& command_line,
                      const std::vector<std::string_view>& plugstack) {
    launch_.at_start = ProcessState::now();
    launch_.args = command_line ? parse_srun_args(command_line.value()) : command_line.error();
    launch_.inside_step = inside_a_step(own_variable);
    launch_.makes_job = !own_variable("SLURM_JOB_ID") && !own_variable("SLURM_JOBID");
    launch_.relaunch = Relaunch::of_this_process();
    for (const char* name : {placed_variable, clock_variable})
        ::unsetenv(name);                                // set by a srun whose epilog runs this one
    if (!launch_.relaunch) ::unsetenv(inside_variable);  // else set by this launch's first srun
    for (const Error& error : read_plugstack_arguments(launch_.options, plugstack)) {
        if (!launch_.relaunch) actions_.print_line(error.message);
    }
    for (const Error& error : read_environment(launch_.options)) {
        if (!launch_.relaunch) actions_.print_line(error.message);
    }
    if (!launch_.relaunch && !launch_.options.disabled) prepare_standalone();
}

/// Prepares srun's environment for a standalone launch.
/// Such a srun learns its layout from the step that it makes, and is then started again in the same
/// allocation.
/// That first step must hold nothing, so it is an overlapping one. srun reads this from its
/// environment right after this hook, long before the options.
void SrunLaunch::prepare_standalone() {
    if (!launch_.makes_job || !launch_.args) return;
    const SrunArgs& args = launch_.args.value();
    Options wanted = launch_.options;
    if (const auto value = args.value_of("commmap"); value) {
        if (!set_mode(wanted, *value)) return;
    }
    if (wanted.mode != Mode::automatic || !launches(args) ||
        wanted.keep == LayoutConstraint::order ||
        !standalone_choice_.refusal(args, wanted).reason.empty())
        return;
    standalone_ = true;
    if (own_variable(overlap_variable)) return;
    overlap_is_ours_ = true;
    ::setenv(overlap_variable, "1", 1);
}

Status SrunLaunch::option(const std::string& value) {
    if (is_placed_value(value) && launch_.relaunch) {
        launch_.option_value = value;
        return Ok{};
    }
    Options scratch;
    if (const Status status = set_mode(scratch, value); !status)
        return prefixed("--commmap", status.error());
    // srun --mpi=list ends in this way too: srun, salloc and sbatch have made nothing by now.
    if (scratch.help) actions_.end_process(actions_.print(mode_help()) ? 0 : 1);
    launch_.option_value = value;
    return Ok{};
}

Status SrunLaunch::init_post_opt() {
    if (std::exchange(post_opt_done_, true)) return Ok{};  // other parts of a heterogeneous step
    if (overlap_is_ours_) ::unsetenv(overlap_variable);
    Status taken_over = launch_.relaunch ? take_over() : Status(Ok{});
    if (launch_.args) {
        launch_.cpus_per_task =
            cpus_per_task(launch_.args.value(), own_variable, slurm_.own_rules()).value_or(1);
    }
    if (launch_.relaunch) return taken_over;
    if (Status chosen = choose_mode(); !chosen) return chosen;
    const Options& options = launch_.options;
    if (options.mode != Mode::automatic || options.disabled) return plan_nothing();
    if (options.dry_run) return dry_run();
    look_at_launch();
    return Ok{};
}

/// Reads and removes the data that the first srun left, in the second srun.
Status SrunLaunch::take_over() {
    auto hosts = take_planned_hosts(launch_.relaunch->hostfile_fd);
    ::unsetenv("SLURM_HOSTFILE");
    ::unsetenv(Relaunch::variable);
    put_back_variables();
    if (const auto record = own_variable(RunWatch::variable); record) {
        recording_.watch().note_plan(*record);
        const auto value = parse_placed_value(launch_.option_value.value_or(""));
        recording_.tell_outcome(value.ok() && value.value().verbose);
        ::unsetenv(RunWatch::variable);
    }
    if (const auto file = own_variable(ReportRequest::variable); file) {
        messages_.take_over_report(*file, launch_.options);
        ::unsetenv(ReportRequest::variable);
    }
    if (launch_.relaunch->own_job) own_job_end_.arrange(*launch_.relaunch->own_job);
    if (!hosts) return hosts.error();
    planned_hosts_ = std::move(hosts).value();
    return Ok{};
}

/// Sets the command line's mode, unless the variable COMMMAP counts more.
Status SrunLaunch::choose_mode() {
    Options& options = launch_.options;
    if (launch_.option_value && !variable_wins(launch_.args)) {
        if (Status status = set_mode(options, *launch_.option_value); !status) return status;
    }
    messages_.set_up(launch_.option_value || options.verbose || own_variable("COMMMAP"),
                     options.dry_run);
    recording_.tell_outcome(options.verbose && options.mode == Mode::automatic);
    return Ok{};
}

/// Handles a launch that is not planned, because nobody wants a plan or the admin forbids it.
Status SrunLaunch::plan_nothing() {
    const Options& options = launch_.options;
    if (options.disabled && options.mode != Mode::off) {
        messages_.decline("switched off on this cluster by its admin");
        if (options.dry_run) end_dry_run();
        return Ok{};
    }
    const Where where = launch_.makes_job ? Where::standalone : Where::allocation;
    launch_.by_slurm = launch_.args &&
                       reason_to_leave(launch_.args.value(), own_variable, where).reason.empty() &&
                       reason_not_to_bind(launch_.args.value(), own_variable).empty();
    return Ok{};
}

Status SrunLaunch::dry_run() {
    if (launch_.args && !launches(launch_.args.value())) return Ok{};
    // Nothing may be launched, whatever happens.
    spank_guard(
        "dry run", [this](const std::string& text) { actions_.print_line(text); },
        [this]() -> Status {
            look_at_launch();
            return Ok{};
        });
    if (dry_run_refused_) actions_.end_process(1);
    end_dry_run();
}

void SrunLaunch::end_dry_run() {
    messages_.complete_report("", nullptr);
    actions_.print_line("dry run: nothing is launched");
    actions_.end_process(interrupt_waits() ? 128 + SIGINT : 0);
}

/// Decides all that can be known before there is a step.
void SrunLaunch::look_at_launch() {
    const Options& options = launch_.options;
    if (inside_a_step(own_variable)) {
        // The variable COMMMAP is meant for the launches of the job, not for those inside its
        // tasks. Says nothing if only the variable is set.
        standalone_ = false;
        if (launch_.option_value || options.verbose)
            messages_.decline("this srun runs inside a step, whose CPUs it shares");
        return;
    }
    const auto job = own_variable("SLURM_JOB_ID");
    messages_.start_report(options, launch_.args ? &launch_.args.value() : nullptr,
                           job.value_or(""));
    if (standalone_ && !options.dry_run) return;  // planned when its layout is known
    if (!launch_.args) return messages_.decline(launch_.args.error().message);
    const SrunArgs& args = launch_.args.value();
    if (job) return look_in_allocation(args);
    if (!launches(args)) return;
    const Refusal refusal = standalone_choice_.refusal(args, options);
    if (options.dry_run && refusal.reason.empty()) return refuse_dry_run();
    leave_order(refusal);
}

void SrunLaunch::look_in_allocation(const SrunArgs& args) {
    const Options& options = launch_.options;
    if (options.keep == LayoutConstraint::order && !options.dry_run && launches(args)) {
        const Refusal refusal = reason_to_leave(args, own_variable, Where::allocation);
        return leave_order(refusal.order_only ? Refusal{} : refusal);
    }
    const StepDecision decision = read_step_request(args, own_variable, slurm_.own_rules());
    if (decision.order_only) return leave_order({decision.reason, true});
    if (!decision.request) return leave(decision, args);
    std::optional<EndingSignals> taken;
    if (slurm_.own_rules().signals_taken_by_threads) {
        await_handlers(std::chrono::milliseconds(200));
        taken.emplace(launch_.at_start->terminal());
    }
    actions_.plan_and_relaunch(context(options, std::nullopt, taken ? &*taken : nullptr),
                               *decision.request);
}

/// Refuses a dry run of a standalone srun. The nodes of its allocation are not known before it has
/// them, and the next srun may get others.
/// A plan for them would cost an allocation, and say nothing about the next launch.
void SrunLaunch::refuse_dry_run() {
    actions_.print_line(
        "a dry run needs nodes to plan for: run it in an allocation (salloc), or give "
        "'commmap map --command PROGRAM --ntasks N --nodelist LIST' some; nothing is launched");
    dry_run_refused_ = true;
}

/// Handles a launch that is not planned. Without a reason there is nothing to gain.
void SrunLaunch::leave(const StepDecision& decision, const SrunArgs& args) {
    if (!decision.reason.empty()) return messages_.decline(decision.reason);
    if (!launches(args)) return;
    messages_.report().note_declined("one task: nothing to place");
    if (launch_.options.verbose) messages_.tell("one task: nothing to place");
}

/// Leaves the order to Slurm. The rest waits for the step.
void SrunLaunch::leave_order(const Refusal& refusal) {
    const bool all = !refusal.reason.empty() && !refusal.order_only;
    if (all || launch_.options.dry_run) return messages_.decline(refusal.reason);
    order_left_ = refusal.reason;
}

LaunchContext SrunLaunch::context(const Options& options, const std::optional<OwnJob>& own_job,
                                  const EndingSignals* taken) {
    return {.slurm = slurm_,
            .args = launch_.args.value(),
            .options = options,
            .at_start = *launch_.at_start,
            .own_job = own_job,
            .taken = taken,
            .tell = [this](const std::string& line) { messages_.tell(line); },
            .report = messages_.report(),
            .run = recording_.watch()};
}

}  // namespace commmap::spank
