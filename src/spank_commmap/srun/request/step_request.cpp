// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/request/step_request.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/number.hpp"
#include "core/program/find_executable.hpp"
#include "core/text/hostlist.hpp"
#include "core/text/node_runs.hpp"
#include "core/text/slurm_counts.hpp"
#include "core/text/slurm_step.hpp"
#include "spank_commmap/srun/request/allocation_step.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"

namespace commmap::spank {
namespace {

StepDecision leave(std::string reason) { return {std::nullopt, std::move(reason)}; }
StepDecision leave_order(std::string reason) { return {std::nullopt, std::move(reason), true}; }

/// Returns the CPUs of some nodes of the job, in the form of SLURM_JOB_CPUS_PER_NODE; empty when
/// they are not known.
std::string cpus_of_nodes(const std::vector<std::string>& nodes, const Environment& environment) {
    const std::string cpus_text = environment("SLURM_JOB_CPUS_PER_NODE").value_or("");
    const auto cpus = parse_slurm_counts(cpus_text);
    if (!cpus) return "";
    const auto job_nodes = expand_hostlist(environment("SLURM_JOB_NODELIST").value_or(""));
    // A srun that made the job does not set the list of nodes.
    if (!job_nodes || job_nodes.value().empty()) {
        const auto number = parse_number(environment("SLURM_JOB_NUM_NODES").value_or(""));
        return number == nodes.size() && cpus.value().size() == nodes.size() ? cpus_text : "";
    }
    if (job_nodes.value().size() != cpus.value().size()) return "";
    std::map<std::string_view, std::uint32_t> cpus_of;
    for (std::size_t node = 0; node < job_nodes.value().size(); ++node)
        cpus_of.emplace(job_nodes.value()[node], cpus.value()[node]);
    std::vector<std::uint32_t> found;
    for (const std::string& node : nodes) {
        const auto entry = cpus_of.find(node);
        if (entry == cpus_of.end()) return "";
        found.push_back(entry->second);
    }
    return format_counts(found);
}

/// Makes the part of a request that does not depend on where the nodes come from. cpus_per_task is
/// 0 when it is not known.
StepRequest common_request(const SrunArgs& args, const Environment& environment,
                           const SlurmRules& rules) {
    StepRequest request;
    request.cpus_per_task = cpus_per_task(args, environment, rules).value_or(0);
    request.mpi = args.value_of("mpi").value_or(environment("SLURM_MPI_TYPE").value_or(""));
    request.binding_left_to = reason_not_to_bind(args, environment);
    request.words = planned_words(args.command);
    request.directory = args.value_of("chdir").value_or("");
    return request;
}

}  // namespace

bool inside_a_step(const Environment& environment) {
    const auto step = environment("SLURM_STEP_ID");
    if (!step) return false;
    const auto number = parse_number(*step);
    return number && is_normal_step(*number);
}

bool launches(const SrunArgs& args) {
    return !args.command.empty() && !args.has("test-only") && !args.has("help") &&
           !args.has("usage") && !args.has("version");
}

StepDecision read_step_request(const SrunArgs& args, const Environment& environment,
                               const SlurmRules& rules) {
    if (!launches(args)) return leave("");
    if (Refusal refusal = reason_to_leave(args, environment, Where::allocation);
        !refusal.reason.empty())
        return {std::nullopt, std::move(refusal.reason), refusal.order_only};
    StepRequest request = common_request(args, environment, rules);
    if (request.cpus_per_task == 0) return leave("--cpus-per-task is not a number");
    JobNodes job;
    const std::string nodelist = environment("SLURM_JOB_NODELIST").value_or("");
    auto names = expand_hostlist(nodelist);
    if (!names || names.value().empty())
        return leave("SLURM_JOB_NODELIST '" + nodelist + "' cannot be read");
    job.names = std::move(names).value();
    const std::string cpus_text = environment("SLURM_JOB_CPUS_PER_NODE").value_or("");
    auto cpus = parse_slurm_counts(cpus_text);
    if (!cpus || cpus.value().size() != job.names.size())
        return leave("SLURM_JOB_CPUS_PER_NODE is not the CPUs of the job's nodes");
    job.cpus = std::move(cpus).value();

    const auto step = step_in_allocation(args, environment, job, request.cpus_per_task, rules);
    if (!step) return leave_order(step.error().message);
    std::vector<std::uint32_t> step_cpus;
    for (const std::size_t node : step.value().nodes) {
        request.nodes.push_back(job.names[node]);
        request.nodelist += (request.nodelist.empty() ? "" : ",") + job.names[node];
        step_cpus.push_back(job.cpus[node]);
    }
    request.cpus_per_node = format_counts(step_cpus);
    // Slurm's own texts are shorter.
    if (request.nodes.size() == job.names.size()) {
        request.nodelist = nodelist;
        request.cpus_per_node = cpus_text;
    }
    request.num_tasks = step.value().num_tasks;
    request.beside_others = step.value().beside_others;
    if (request.num_tasks == 1) return leave("");
    return {std::move(request), ""};
}

StepDecision request_of_layout(const SrunArgs& args, const Environment& environment,
                               const StepLayout& layout, const SlurmRules& rules) {
    StepRequest request = common_request(args, environment, rules);
    if (request.cpus_per_task == 0) return leave("--cpus-per-task is not a number");
    request.cpus_per_node = cpus_of_nodes(layout.nodes, environment);
    if (request.cpus_per_node.empty()) return leave("the CPUs of the step's nodes are not known");
    request.nodes = layout.nodes;
    request.nodelist = layout.nodelist;
    request.layout = format_node_runs(layout.node_of_rank);
    request.num_tasks = layout.node_of_rank.size();
    if (request.num_tasks <= 1) return leave("");
    return {std::move(request), ""};
}

std::vector<std::string> planned_words(const std::vector<std::string>& command) {
    const std::string& program = command.front();
    const bool is_where = program.substr(program.rfind('/') + 1) == "commmap" &&
                          command.size() > 2 && command[1] == "where";
    constexpr std::string_view option = "--command";
    for (std::size_t word = 2; is_where && word < command.size(); ++word) {
        if (command[word] == option && word + 1 < command.size()) return {command[word + 1]};
        if (command[word].starts_with(std::string(option) + "="))
            return {command[word].substr(option.size() + 1)};
    }
    return command;
}

std::vector<std::string> LocatedCommand::asked_about(std::vector<std::string> question) const {
    constexpr std::size_t most_words = 64;
    for (const std::string& word :
         {std::string("--command"), path, std::string("--chdir"), directory})
        question.push_back(word);
    const std::size_t num_words = std::min(words.size(), most_words);
    if (num_words > 1) question.emplace_back("--");
    for (std::size_t i = 1; i < num_words; ++i) question.push_back(words[i]);
    return question;
}

Result<LocatedCommand> locate(std::vector<std::string> words, const std::string& chdir,
                              const std::string& here, const std::string& search_path) {
    LocatedCommand located;
    located.directory = chdir.empty() ? here : chdir.starts_with('/') ? chdir : here + "/" + chdir;
    auto path = find_executable(words.front(), search_path, located.directory);
    if (!path)
        return Error{Errc::not_found, "'" + words.front() + "' is not a program on this machine"};
    located.path = std::move(path).value();
    located.words = std::move(words);
    return located;
}

}  // namespace commmap::spank
