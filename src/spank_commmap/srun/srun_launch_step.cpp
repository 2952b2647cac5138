// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <utility>

#include "core/config/sources.hpp"
#include "spank_commmap/srun/profile_collection.hpp"
#include "spank_commmap/srun/relaunch/shepherd.hpp"
#include "spank_commmap/srun/srun_launch.hpp"

// This file has the hooks of SrunLaunch that run when the step exists.

namespace commmap::spank {

void SrunLaunch::local_user_init(std::uint32_t job, std::uint32_t step) {
    launch_.job = job;
    launch_.step = step;
    // The number was not known before.
    if (launch_.makes_job) messages_.name_report(launch_.options, std::to_string(job));
    if (standalone_ && launch_.options.mode == Mode::automatic) {
        plan_standalone();
    } else if (order_left_) {
        bind_only();
    }
    if (!planned_hosts_.empty()) compare_with_plan();
    if (messages_.report().wanted())
        messages_.complete_report(std::to_string(job) + "." + std::to_string(step), layout());
    recording_.begin();
}

void SrunLaunch::plan_standalone() {
    if (launch_.step != 0 || own_variable("SLURM_JOB_ID") != std::to_string(launch_.job))
        return messages_.decline("this is not the first step of srun's own job");
    // This thread takes signals. The kernel prefers it only when it is the main thread.
    if (::gettid() != ::getpid()) return messages_.decline("srun launches from another thread");
    const EndingSignals taken(launch_.at_start->terminal());
    // Without this pipe, the shepherd would give the job back as soon as srun is started again.
    const auto shepherd = shepherd_pipe();
    if (!shepherd) return messages_.decline("srun's clean-up process is not found");
    const StepLayout* const found = layout();
    if (found == nullptr) return messages_.decline("Slurm does not say how it laid the step out");
    const SrunArgs& args = launch_.args.value();
    const StepDecision decision = request_of_layout(args, own_variable, *found, slurm_.own_rules());
    if (!decision.request) return leave(decision, args);
    actions_.plan_and_relaunch(context(launch_.options, OwnJob{launch_.job, *shepherd}, &taken),
                               *decision.request);
}

/// Binds only the CPUs, once Slurm has told the layout of the step.
void SrunLaunch::bind_only() {
    const std::string& why = *order_left_;
    const auto leave_all = [&](const std::string& reason) {
        if (const std::string& told = why.empty() ? reason : why; !told.empty())
            messages_.decline(told);
    };
    if (::gettid() != ::getpid()) return leave_all("srun launches from another thread");
    const StepLayout* const found = layout();
    if (found == nullptr) return leave_all("Slurm does not say how it laid the step out");
    const StepDecision decision =
        request_of_layout(launch_.args.value(), own_variable, *found, slurm_.own_rules());
    if (!decision.request) return leave_all(decision.reason);
    if (!decision.request->binding_left_to.empty())
        return leave_all("order and CPU binding (" + decision.request->binding_left_to +
                         ") are the user's");
    Options options = launch_.options;
    options.keep = LayoutConstraint::order;
    // In an allocation, a srun that ends here would leave its step behind, which slurmctld takes
    // for running. There srun's own thread takes signals, as without commmap.
    std::optional<EndingSignals> taken;
    if (launch_.makes_job) taken.emplace(launch_.at_start->terminal());
    const Binding binding = actions_.plan_and_bind(
        context(options, std::nullopt, taken ? &*taken : nullptr), *decision.request);
    if (why.empty() || binding == Binding::declined) return;
    if (binding == Binding::kept) {
        ReportRequest& report = messages_.report();
        // A report that is not written has failed, and the user was told.
        if (report.written()) report.note_declined(why);
        return messages_.tell(left_alone(why));
    }
    if (binding == Binding::kept_around_inside)
        return messages_.tell(why + ": order and CPUs stay, only collectives run otherwise");
    messages_.tell(why + ": the order stays, only CPUs are bound");
}

void SrunLaunch::compare_with_plan() {
    show_plain_environment(launch_.relaunch && launch_.relaunch->own_job, planned_hosts_);
    const StepLayout* const found = layout();
    if (found != nullptr && !is_as_planned(*found, planned_hosts_))
        actions_.print_line("warning: Slurm did not place the tasks as planned");
}

const StepLayout* SrunLaunch::layout() {
    if (!layout_) layout_ = slurm_.step_layout(launch_.job, launch_.step);
    return layout_ ? &*layout_ : nullptr;
}

Status SrunLaunch::exit() {
    recording_.end();
    Status collected = collect_profile(launch_, actions_);
    recording_.leave();
    return collected;
}

}  // namespace commmap::spank
