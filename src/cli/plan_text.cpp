// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/plan/move_table.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

std::string percent(double value) { return fmt::format("{:.1f} %", value); }

}  // namespace

std::string describe_port(const PortLoad& load, const Hct& hct) {
    const Element& element = hct.element(load.element);
    std::string where = level_name(element.level);
    if (!element.name.empty()) {
        where += " " + element.name;
    } else if (element.node != no_id) {
        where += " of node " + hct.node(element.node).name;
    }
    switch (load.direction) {
        case PortDirection::out:
            return where + ", outward";
        case PortDirection::in:
            return where + ", inward";
        case PortDirection::through:
            return where + ", as a whole";
        case PortDirection::both:
            return where + ", both directions";
    }
    return where;
}

double gain_percent(const Plan& plan, const Candidate& candidate) {
    // A simulated time is compared with a simulated one.
    const Candidate& by_slurm = plan.candidates.front();
    const bool simulated = candidate.simulated && by_slurm.simulated;
    const double before = simulated ? by_slurm.predicted_s : by_slurm.by_costs_s;
    const double after = simulated ? candidate.predicted_s : candidate.by_costs_s;
    return before > 0.0 ? 100.0 * (1.0 - after / before) : 0.0;
}

std::string reason_of_plan(const Plan& plan, const Scenario& scenario, double threshold_percent) {
    if (!plan.keep_default) {
        std::string text = fmt::format("predicted gain {:.1f} % of the run time with {}: {}",
                                       plan.gain_percent, plan.chosen().name, gain_text(plan.gain));
        if (plan.gain_in_runs)
            text += fmt::format("; with the spread of earlier runs {:.2f} to {:.2f} x",
                                plan.gain_in_runs->low, plan.gain_in_runs->high);
        return text;
    }
    if (scenario.collectives_missing)
        return "the estimate lacks the collectives: Slurm's own placement is kept";
    if (plan.best == 0) return "Slurm's own placement is the best one found";
    // The error comes first: where the gain is within the error, no lower threshold helps.
    if (plan.gain.low <= 1.0)
        return fmt::format(
            "predicted gain {:.1f} % is within the error of the prediction ({}): "
            "Slurm's own placement is kept",
            plan.gain_percent, gain_text(plan.gain));
    return fmt::format(
        "predicted gain {:.1f} % is below the threshold of {:.1f} %: "
        "Slurm's own placement is kept",
        plan.gain_percent, threshold_percent);
}

std::vector<std::string> describe_plan(const Plan& plan, const Scenario& scenario,
                                       double threshold_percent) {
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "plan for {} ranks on {} nodes, {:.1f} % of the profiled run was in MPI",
        scenario.graph.num_ranks(), scenario.hct.num_nodes(), 100.0 * plan.share_in_mpi));
    if (!scenario.no_steps_because.empty())
        lines.push_back("the prediction assumes that all messages are sent at once: " +
                        scenario.no_steps_because);
    std::vector<std::vector<std::string>> rows{
        {"placement", "port cost", "hop-bytes", "predicted", "gain", "most loaded port"}};
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
        const Candidate& candidate = plan.candidates[i];
        const std::string mark = &candidate == &plan.chosen() ? " <- chosen" : "";
        rows.push_back({candidate.name, format_seconds(candidate.port_cost.cost_s),
                        format_bytes(candidate.hop_bytes),
                        format_seconds(candidate.predicted_s) + (candidate.simulated ? " *" : ""),
                        i == 0 ? "" : percent(gain_percent(plan, candidate)),
                        describe_port(candidate.port_cost.bottleneck, scenario.hct) + mark});
    }
    for (std::string& line : aligned(rows)) lines.push_back(std::move(line));
    if (plan.candidates.front().simulated)
        lines.push_back("* simulated; the other times are by costs");
    for (const Candidate& candidate : plan.candidates) {
        if (candidate.linear_instead)
            lines.push_back(candidate.name +
                            ": ranks in order (linear) cost less and are used instead");
    }
    lines.push_back(reason_of_plan(plan, scenario, threshold_percent));
    if (plan.keep_default) return lines;
    for (std::string& line :
         move_table(scenario.hct, scenario.default_placement, plan.chosen().pu_of_rank))
        lines.push_back(std::move(line));
    return lines;
}

}  // namespace commmap::cli
