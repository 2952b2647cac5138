#include "cli/plan_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/units.hpp"

namespace commmap::cli {
namespace {

/// Nodes printed before the rest is summed up: a plan of a thousand nodes is not read line by line.
constexpr std::size_t max_nodes_shown = 32;

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string percent(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", value);
    return text.data();
}

/// 0 1 2 5 -> "0-2 5"
std::string rank_ranges(const std::vector<std::size_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i;
        while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
        text += (text.empty() ? "" : " ") + std::to_string(ranks[i]);
        if (end > i) text += "-" + std::to_string(ranks[end]);
        i = end + 1;
    }
    return text;
}

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
            return where + ", all ports together";
    }
    return where;
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()), 0);
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) text += padded(line[i], widths[i] + 2);
        if (!line.empty()) text += line.back();
        text += '\n';
    }
    return text;
}

std::vector<std::string> describe_placement(const Hct& hct, Placement placement) {
    std::vector<std::vector<std::size_t>> ranks(hct.num_nodes());
    for (std::size_t rank = 0; rank < placement.size(); ++rank)
        ranks[hct.pu(placement[rank]).node].push_back(rank);
    std::vector<std::string> lines;
    for (NodeId node = 0; node < ranks.size(); ++node) {
        if (lines.size() == max_nodes_shown) {
            lines.push_back("... and " + std::to_string(ranks.size() - node) + " more nodes");
            break;
        }
        lines.push_back(hct.node(node).name + ": " + rank_ranges(ranks[node]));
    }
    return lines;
}

std::vector<std::string> describe_plan(const Plan& plan, const Scenario& scenario,
                                       double threshold_percent) {
    std::vector<std::string> lines;
    lines.push_back("plan for " + std::to_string(scenario.graph.num_ranks()) + " ranks on " +
                    std::to_string(scenario.hct.num_nodes()) + " nodes, " +
                    percent(100.0 * plan.share_in_mpi) + " of the profiled run was in MPI");
    lines.push_back(padded("placement", 22) + padded("port cost", 11) + padded("hop-bytes", 11) +
                    padded("predicted", 11) + "most loaded port");
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
        const Candidate& candidate = plan.candidates[i];
        const std::string mark = &candidate == &plan.chosen() ? " <- chosen" : "";
        lines.push_back(padded(candidate.name, 22) +
                        padded(format_seconds(candidate.port_cost.cost_s), 11) +
                        padded(format_bytes(candidate.hop_bytes), 11) +
                        padded(format_seconds(candidate.predicted_s), 11) +
                        describe_port(candidate.port_cost.bottleneck, scenario.hct) + mark);
    }
    if (!plan.keep_default) {
        lines.push_back("predicted gain " + percent(plan.gain_percent) + " of the run time with " +
                        plan.chosen().name);
        for (const std::string& line : describe_placement(scenario.hct, plan.chosen().pu_of_rank))
            lines.push_back(line);
    } else if (scenario.collectives_missing) {
        lines.push_back("the estimate lacks the collectives: Slurm's own placement is kept");
    } else if (plan.best == 0) {
        lines.push_back("Slurm's own placement is the best one found");
    } else {
        lines.push_back("predicted gain " + percent(plan.gain_percent) +
                        " is below the threshold of " + percent(threshold_percent) +
                        ": Slurm's own placement is kept");
    }
    return lines;
}

}  // namespace commmap::cli
