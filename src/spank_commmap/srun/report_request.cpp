// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/report_request.hpp"

#include <utility>

#include "core/text/node_runs.hpp"

namespace commmap::spank {

std::vector<std::string> ReportRequest::completion(const std::string& step,
                                                   const StepLayout* layout,
                                                   const std::string& node_runs) const {
    if (!declined_.empty()) {
        std::vector<std::string> argv = {program_, "launch-report", "decline",
                                         file_,    "--reason",      declined_};
        if (!command_.empty()) argv.insert(argv.end(), {"--command", command_});
        if (written_) argv.emplace_back("--amend");
        return argv;
    }
    if (!written_ || layout == nullptr) return {};
    return {program_, "launch-report", "finish",         file_,      "--step",
            step,     "--nodelist",    layout->nodelist, "--layout", node_runs};
}

std::string ReportRequest::complete(const std::string& step, const StepLayout* layout,
                                    const RunProgram& run) {
    if (!wanted() || std::exchange(completed_, true)) return "";
    const std::size_t num_ranks = layout == nullptr ? 1 : layout->node_of_rank.size();
    const LongWord runs =
        long_word(layout == nullptr ? "" : format_node_runs(layout->node_of_rank));
    const std::vector<std::string> argv = completion(step, layout, runs.word);
    if (argv.empty()) return "";
    const ProgramResult done = run(
        argv,
        {.seconds = seconds_to_plan(options_, num_ranks), .memory_mib = options_.plan_memory_mib},
        runs.input);
    if (done.end != ProgramResult::End::failed) return "";
    return "the report is not complete: '" + program_ + "' " + done.reason;
}

std::string report_path(std::string_view name, const std::string& directory, std::string_view job) {
    std::string path = name.starts_with('/') ? "" : directory + "/";
    while (!name.empty()) {
        if (name.starts_with("%%") || (name.starts_with("%j") && !job.empty())) {
            path += name[1] == '%' ? "%" : job;
            name.remove_prefix(2);
        } else {
            path += name.front();
            name.remove_prefix(1);
        }
    }
    return path;
}

}  // namespace commmap::spank
