// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/constraint_costs.hpp"

#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

std::vector<std::string> row(const std::string& name, const Candidate& candidate,
                             const std::string& mark) {
    return {name, format_seconds(candidate.port_cost.cost_s), format_seconds(candidate.predicted_s),
            candidate.name + mark};
}

std::string cut(const Plan& plan) {
    return plan.cut_short ? " (no time to look for a better one)" : "";
}

}  // namespace

PlannerOptions planner_options(const Options& options) {
    return {.threshold_percent = options.threshold_percent,
            .seed = options.seed,
            .rank0_free = options.rank0_free,
            .keep = options.keep,
            .threads = static_cast<unsigned>(options.plan_threads)};
}

std::vector<std::string> describe_keeping(const Plan& plan, const Job& job,
                                          const PlannerOptions& options) {
    std::vector<std::vector<std::string>> rows{
        {"keep", "port cost", "predicted", "best placement"}};
    for (const LayoutConstraint keep :
         {LayoutConstraint::none, LayoutConstraint::blocks, LayoutConstraint::order}) {
        const std::string name(layout_constraint_name(keep));
        if (keep == options.keep) {
            rows.push_back(row(name, plan.candidates[plan.best], cut(plan) + " <- asked for"));
            continue;
        }
        PlannerOptions other = options;
        other.keep = keep;
        const auto planned = make_plan(job.scenario, job.profile, job.cluster, other);
        if (planned) {
            rows.push_back(
                row(name, planned.value().candidates[planned.value().best], cut(planned.value())));
        } else {
            rows.push_back({name, "-", "-", planned.error().message});
        }
    }
    rows.push_back(row("slurm", plan.candidates.front(), ""));
    return aligned(rows);
}

}  // namespace commmap::cli
