// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/request/allocation_step.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/number.hpp"
#include "core/text/hostlist.hpp"

namespace commmap::spank {
namespace {

Error uncertain(std::string why) { return {Errc::not_supported, std::move(why)}; }

/// Parses a positive number of tasks, nodes or CPUs.
std::optional<std::size_t> count_of(std::string_view text) {
    const auto number = parse_number(text);
    if (!number || *number == 0 || *number > (std::size_t{1} << 22)) return std::nullopt;
    return static_cast<std::size_t>(*number);
}

/// A count from an option or else from a variable. A text that is no count is an error.
struct Count {
    std::optional<std::size_t> value;
    bool by_option = false;
};

Result<Count> read_count(const SrunArgs& args, const Environment& environment,
                         std::initializer_list<std::string_view> options,
                         std::initializer_list<std::string_view> variables) {
    for (const std::string_view option : options) {
        const auto text = args.value_of(option);
        if (!text) continue;
        if (const auto number = count_of(*text); number) return Count{number, true};
        return uncertain("--" + std::string(option) + "=" + *text + " is not a number");
    }
    for (const std::string_view variable : variables) {
        const auto text = environment(variable);
        if (!text) continue;
        if (const auto number = count_of(*text); number) return Count{number, false};
        return uncertain(std::string(variable) + "=" + *text + " is not a number");
    }
    return Count{};
}

/// Returns the number of the step's nodes: --nodes, else all nodes of the job. Takes "4", "4-4",
/// and "2-8" in a job of 2.
Result<Count> number_of_nodes(const SrunArgs& args, const Environment& environment,
                              std::size_t job_nodes) {
    const auto option = args.value_of("nodes");
    if (!option) {
        const auto variable = environment("SLURM_JOB_NUM_NODES");
        if (!variable || count_of(*variable) != job_nodes) {
            return uncertain(
                "SLURM_JOB_NUM_NODES is not the number of nodes in SLURM_JOB_NODELIST");
        }
        return Count{job_nodes, false};
    }
    const std::string_view text = *option;
    const auto dash = text.find('-');
    const auto least = count_of(text.substr(0, dash));
    const auto most = dash == std::string_view::npos ? least : count_of(text.substr(dash + 1));
    if (!least || !most || *least > job_nodes || (*least != *most && *least != job_nodes))
        return uncertain("--nodes=" + *option + " leaves the number of nodes open");
    return Count{least, true};
}

/// Returns the nodes that --nodelist, --exclude or --relative leave, if they leave exactly
/// `wanted`.
Result<std::vector<std::size_t>> chosen_nodes(const SrunArgs& args, const JobNodes& job,
                                              std::size_t wanted, const SlurmRules& rules) {
    std::vector<std::size_t> all(job.names.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto listed = [&](const std::string& option) -> Result<std::vector<std::size_t>> {
        const auto names = expand_hostlist(args.value_of(option).value_or(""));
        if (!names || names.value().empty())
            return uncertain("--" + option + " is not a list of this job's nodes");
        std::vector<std::size_t> found;
        for (const std::string& name : names.value()) {
            const auto place = std::find(job.names.begin(), job.names.end(), name);
            if (place == job.names.end()) {
                std::string why = "--" + option;
                why.append(" names ").append(name).append(", which is not in this job");
                return uncertain(std::move(why));
            }
            found.push_back(static_cast<std::size_t>(place - job.names.begin()));
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    };
    const bool list = args.has("nodelist");
    const bool exclude = args.has("exclude");
    const bool relative = args.has("relative");
    if (list + exclude + relative > 1)
        return uncertain("--nodelist, --exclude and --relative choose the nodes together");
    std::vector<std::size_t> left = all;
    if (list) {
        auto found = listed("nodelist");
        if (!found) return found.error();
        if (wanted != all.size()) left = std::move(found).value();
    } else if (exclude) {
        const auto found = listed("exclude");
        if (!found) return found.error();
        std::erase_if(left, [&](std::size_t node) {
            return std::binary_search(found.value().begin(), found.value().end(), node);
        });
    } else if (relative) {
        const auto first = parse_number(*args.value_of("relative"));
        if (!first || *first > all.size() || wanted > all.size() - *first || rules.topology_order ||
            (rules.nodes_in_turn && wanted < all.size() - *first))
            return uncertain("--relative chooses the nodes");
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(*first);
        left.assign(begin, begin + static_cast<std::ptrdiff_t>(wanted));
    }
    if (left.size() == wanted) return left;
    return uncertain(std::to_string(wanted) + " of the job's " + std::to_string(all.size()) +
                     " nodes: which ones Slurm takes depends on what else runs (name them with "
                     "--nodelist)");
}

struct TaskCounts {
    Count tasks;
    Count per_node;
    std::optional<std::uint32_t> cpus_per_task;  ///< if the user gave it
};

Result<std::size_t> number_of_tasks(const TaskCounts& given, std::size_t num_nodes,
                                    const JobNodes& job) {
    const auto per_node = given.per_node.value;
    if (given.tasks.value) {
        const std::size_t tasks = *given.tasks.value;
        if (per_node && *per_node * num_nodes != tasks) {
            return uncertain(std::to_string(*per_node) + " tasks per node on " +
                             std::to_string(num_nodes) + " nodes are not " + std::to_string(tasks) +
                             " tasks");
        }
        return tasks;
    }
    if (per_node) return *per_node * num_nodes;
    if (!given.cpus_per_task) return num_nodes;
    if (num_nodes != job.names.size())
        return uncertain("the number of tasks is not certain (give -n)");
    std::size_t fit = 0;
    for (const std::uint32_t cpus : job.cpus) fit += cpus / *given.cpus_per_task;
    return std::max(fit, num_nodes);
}

}  // namespace

Result<AllocationStep> step_in_allocation(const SrunArgs& args, const Environment& environment,
                                          const JobNodes& job, std::uint32_t cpus_per_task,
                                          const SlurmRules& rules) {
    const auto nodes = number_of_nodes(args, environment, job.names.size());
    if (!nodes) return nodes.error();
    auto tasks_given = read_count(args, environment, {"ntasks"}, {"SLURM_NTASKS", "SLURM_NPROCS"});
    if (!tasks_given) return tasks_given.error();
    const auto per_node = read_count(args, environment, {"ntasks-per-node", "tasks-per-node"},
                                     {"SLURM_NTASKS_PER_NODE"});
    if (!per_node) return per_node.error();
    if (rules.tasks_per_node_before_environment && nodes.value().by_option &&
        !tasks_given.value().by_option && per_node.value().value)
        tasks_given.value() = {};

    const bool cpus_given =
        args.has("cpus-per-task") || environment(rules.cpus_per_task_variable).has_value();
    const std::size_t num_nodes = *nodes.value().value;
    const auto tasks = number_of_tasks({tasks_given.value(), per_node.value(),
                                        cpus_given ? std::optional(cpus_per_task) : std::nullopt},
                                       num_nodes, job);
    if (!tasks) return tasks.error();
    if (tasks.value() == 1) return AllocationStep{{}, 1, false};  // nothing to place
    if (tasks.value() < num_nodes)
        return uncertain("fewer tasks than nodes: which nodes Slurm takes is not certain");

    auto chosen = chosen_nodes(args, job, num_nodes, rules);
    if (!chosen) return chosen.error();
    AllocationStep step{std::move(chosen).value(), tasks.value(), false};
    std::size_t cpus = 0;
    for (const std::size_t node : step.nodes) cpus += job.cpus[node];
    const bool exact = cpus_given || args.has("exact") || args.has("exclusive") ||
                       environment("SLURM_EXACT") || environment("SLURM_EXCLUSIVE");
    step.beside_others = exact && !args.has("overlap") && !environment("SLURM_OVERLAP") &&
                         step.num_tasks != num_nodes && step.num_tasks * cpus_per_task != cpus;
    return step;
}

}  // namespace commmap::spank
