// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/launch_report.hpp"

#include <algorithm>
#include <utility>

#include "cli/plan_text.hpp"
#include "core/base/file.hpp"
#include "core/plan/launch_formats.hpp"

namespace commmap::cli {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr const char* kind = "commmap launch";

Error not_a_report(const std::string& what) {
    return {Errc::invalid_input, what + " is not a report of --commmap=auto,report=FILE"};
}

LaunchReport candidates_of(const Plan& plan, const Scenario& scenario) {
    LaunchReport list = LaunchReport::array();
    for (const Candidate& candidate : plan.candidates) {
        list.push_back(
            {{"name", candidate.name},
             {"port_cost_s", candidate.port_cost.cost_s},
             {"process_time_s", candidate.process_time_s},
             {"hop_bytes", candidate.hop_bytes},
             {"predicted_s", candidate.predicted_s},
             {"simulated", candidate.simulated},
             {"gain_percent", gain_percent(plan, candidate)},
             {"most_loaded_port", describe_port(candidate.port_cost.bottleneck, scenario.hct)},
             {"chosen", &candidate == &plan.chosen()}});
    }
    return list;
}

LaunchReport ranks_of(const Plan& plan, const Scenario& scenario) {
    const Hct& hct = scenario.hct;
    const std::vector<std::uint32_t> cpu_sets = cpu_set_of_rank(hct, plan.chosen().pu_of_rank);
    LaunchReport list = LaunchReport::array();
    for (std::size_t rank = 0; rank < scenario.default_placement.size(); ++rank) {
        const PuInfo& pu = hct.pu(plan.chosen().pu_of_rank[rank]);
        // We do not bind Slurm's own placement, so we cannot say which CPU a rank gets there.
        const LaunchReport index =
            plan.keep_default ? LaunchReport() : LaunchReport(cpu_sets[rank]);
        list.push_back({{"rank", rank},
                        {"by_slurm", hct.node(hct.pu(scenario.default_placement[rank]).node).name},
                        {"planned", hct.node(pu.node).name},
                        {"cpu_set_index", index}});
    }
    return list;
}

LaunchReport json_of(const std::optional<GainRange>& range) {
    if (!range) return nullptr;
    return {{"low", range->low}, {"high", range->high}};
}

}  // namespace

LaunchReport report_of_plan(const Plan& plan, const Scenario& scenario, double threshold_percent) {
    return {
        {"decision", plan.keep_default ? "keep" : "apply"},
        {"reason", reason_of_plan(plan, scenario, threshold_percent)},
        {"gain_percent", plan.gain_percent},
        {"gain", {{"factor", plan.gain.factor}, {"low", plan.gain.low}, {"high", plan.gain.high}}},
        {"gain_in_runs", json_of(plan.gain_in_runs)},
        {"threshold_percent", threshold_percent},
        {"share_in_mpi", plan.share_in_mpi},
        {"notes", plan.notes},
        {"candidates", candidates_of(plan, scenario)},
        {"ranks", ranks_of(plan, scenario)}};
}

LaunchReport report_of_rules(const std::vector<inside::ChosenRule>& rules) {
    LaunchReport list = LaunchReport::array();
    for (const inside::ChosenRule& one : rules) {
        list.push_back({{"operation", collective_name(one.rule.op)},
                        {"from_bytes", one.rule.from_bytes},
                        {"algorithm", inside::text_of(one.rule.op, one.rule.algorithm)},
                        {"gain", one.gain},
                        {"least_gain", one.least_gain}});
    }
    return list;
}

LaunchReport report_of_decline(const std::string& reason) {
    return {{"decision", "decline"}, {"reason", reason}};
}

void note_default(LaunchReport& report, const std::string& reason) {
    if (!report.is_object()) return;
    report["decision"] = "keep";
    report["reason"] = reason;
    const auto change_all = [&](const char* list, auto change) {
        const auto found = report.find(list);
        if (found != report.end() && found->is_array())
            std::for_each(found->begin(), found->end(), change);
    };
    change_all("ranks", [](LaunchReport& rank) {
        rank["planned"] = rank.value("by_slurm", "");
        rank["cpu_set_index"] = nullptr;
    });
    bool is_slurms = true;  // the first candidate is Slurm's own
    change_all("candidates", [&](LaunchReport& candidate) {
        candidate["chosen"] = std::exchange(is_slurms, false);
    });
}

LaunchReport report_of_job(const JobArguments& job) {
    LaunchReport report;
    const std::string program = path_of_command(job);
    if (!job.command.empty()) report["executable"] = program.empty() ? job.command : program;
    LaunchReport step = LaunchReport::object();
    if (job.num_ranks != 0) step["ranks"] = job.num_ranks;
    if (!job.nodelist.empty()) step["nodelist"] = job.nodelist;
    if (!job.cpus_per_node.empty()) {
        step["cpus_per_node"] = job.cpus_per_node;
        step["cpus_per_task"] = job.cpus_per_task;
    }
    report["step"] = std::move(step);
    return report;
}

std::string report_text(const LaunchReport& report) {
    LaunchReport whole = {{"report", kind}, {"version", COMMMAP_VERSION}};
    whole.update(report);
    return whole.dump(1, ' ', false, LaunchReport::error_handler_t::replace) + '\n';
}

Result<LaunchReport> read_report(const std::string& path) {
    const auto text = read_file(path, most_bytes);
    if (!text) return text.error();
    auto report = LaunchReport::parse(text.value(), nullptr, false);
    if (report.is_discarded() || !report.is_object() || !report.contains("report") ||
        report["report"] != kind)
        return not_a_report("'" + path + "'");
    return report;
}

Result<std::vector<PlannedRank>> planned_ranks(const LaunchReport& report) {
    std::vector<PlannedRank> ranks;
    if (!report.contains("ranks")) return ranks;
    try {
        if (report.at("decision") == "decline") return ranks;  // planned, but then left alone
        for (const LaunchReport& row : report["ranks"]) {
            PlannedRank rank{row.at("by_slurm"), row.at("planned"), -1, row.value("launched", "")};
            if (!row.at("cpu_set_index").is_null())
                rank.cpu_set_index = row.at("cpu_set_index").get<std::uint32_t>();
            ranks.push_back(std::move(rank));
        }
    } catch (const LaunchReport::exception&) {
        return not_a_report("this");
    }
    return ranks;
}

Status note_launch(LaunchReport& report, const std::string& step,
                   const std::vector<std::string>& node_of_rank) {
    const auto planned = planned_ranks(report);
    if (!planned) return planned.error();
    report["launch"] = {{"step", step}, {"as_planned", nullptr}};
    if (planned.value().empty()) return Ok{};
    bool as_planned = planned.value().size() == node_of_rank.size();
    for (std::size_t rank = 0; rank < planned.value().size() && rank < node_of_rank.size();
         ++rank) {
        report["ranks"][rank]["launched"] = node_of_rank[rank];
        as_planned = as_planned && node_of_rank[rank] == planned.value()[rank].node;
    }
    report["launch"]["as_planned"] = as_planned;
    return Ok{};
}

}  // namespace commmap::cli
