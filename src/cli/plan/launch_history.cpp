// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/launch_history.hpp"

#include <cmath>
#include <optional>

#include "cli/plan/inside_rules.hpp"
#include "core/config/sources.hpp"
#include "core/history/comparison.hpp"
#include "core/history/record/run_shape.hpp"
#include "core/history/store/history_store.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/plan_cache.hpp"
#include "core/plan_reply/plan_reply.hpp"
#include "core/program/application_id.hpp"
#include "core/text/hostlist.hpp"
#include "core/text/node_runs.hpp"
#include "core/text/slurm_counts.hpp"

namespace commmap::cli {
namespace {

/// Returns the tasks of each node, as Slurm lays the step out; none when the arguments do not say
/// them.
std::optional<std::vector<std::uint32_t>> tasks_per_node(const JobArguments& job) {
    auto cpus = parse_slurm_counts(job.cpus_per_node);
    if (!cpus || job.cpus_per_task == 0) return std::nullopt;
    if (!job.layout.empty() && job.layout != "topology") {
        const auto node_of_rank = parse_node_runs(job.layout);
        if (!node_of_rank) return std::nullopt;
        std::vector<std::uint32_t> tasks(cpus.value().size(), 0);
        for (const std::uint32_t node : node_of_rank.value()) {
            if (node >= tasks.size()) return std::nullopt;
            ++tasks[node];
        }
        return tasks;
    }
    for (std::uint32_t& count : cpus.value()) count /= job.cpus_per_task;
    auto tasks = default_tasks_per_node(cpus.value(), job.num_ranks);
    if (!tasks) return std::nullopt;
    return std::move(tasks).value();
}

/// Hashes the basis of a placement, without the nodes. The version of the planner does not count: a
/// loss must not be forgotten with every update.
Result<std::uint64_t> basis_of(const ProfileChoice& choice, const Options& options) {
    std::vector<std::string> files = choice.paths;
    files.push_back(options.cluster_file);
    std::vector<std::string> settings = {
        std::string(layout_constraint_name(options.keep)), options.rank0_free ? "free" : "first",
        std::to_string(options.seed), std::string(name_of(options.collectives))};
    if (options.inside != Inside::none) {  // else the basis is that of older histories
        const TimesFile times = times_file(options);
        settings.push_back(times.state);
        if (!times.path.empty()) files.push_back(times.path);
    }
    const auto key = PlanCache::key(files, settings);
    if (!key) return key.error();
    return short_digest(key.value());
}

/// Returns what the learnt error tells of gains.
PastGains past_gains(const PredictionError& error) {
    constexpr double least_gain = 1.01;  // below, the share is a quotient of noise
    PastGains past{error.spread, {}};
    if (error.gain && error.gain->predicted >= least_gain)
        past.share_measured = std::log(error.gain->measured) / std::log(error.gain->predicted);
    return past;
}

std::string end_of_path(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

LaunchHistory history_of_launch(const JobArguments& job, const Options& options,
                                const ProfileChoice& choice) {
    LaunchHistory found;
    const auto profiles = profile_directory(options);
    const auto tasks = tasks_per_node(job);
    if (!profiles || !tasks || choice.application_id.empty()) return found;
    const auto basis = basis_of(choice, options);
    if (!basis) return found;
    found.application_id = choice.application_id;
    found.basis = basis.value();
    const std::string path = path_of_command(job);  // the program behind numactl
    found.program = end_of_path(path.empty() ? job.command : path);
    const HistoryStore store(profiles.value(), options.profile_visibility);
    found.lines = store.merge().notes;
    const auto history = store.load(found.application_id, job.num_ranks);
    if (!history) {
        const bool matters =
            history.error().code == Errc::corrupt || history.error().code == Errc::not_supported;
        if (matters)
            found.notes.push_back(history.error().message +
                                  ": placed runs are not compared with Slurm's placement");
        return found;
    }
    std::vector<std::string> words = {job.command};
    words.insert(words.end(), job.words.begin(), job.words.end());
    const bool has_tag = !tag_of(found.application_id).empty();
    const std::uint64_t shape = run_shape(*tasks, job.cpus_per_task);
    const std::uint64_t arguments = has_tag ? 0 : arguments_digest(words);
    const RunGroup* group = history.value().find(shape, arguments, RunClock::step);
    // Each run counts by the step's clock. It counts by the other clock if enough runs have that
    // time.
    const RunGroup* const by_mpi = history.value().find(shape, arguments, RunClock::mpi);
    if (options.history_clock == RunClock::mpi && by_mpi != nullptr &&
        compare(*by_mpi, by_mpi->find(found.basis)).enough)
        group = by_mpi;
    if (group == nullptr) return found;
    const RunArm* const placed = group->find(found.basis);
    found.learnt = learnt_text(placed);
    found.reversal = reversal_text(placed);
    found.lines.push_back(comparison_text(compare(*group, placed)));
    if (std::string line = prediction_text(placed); !line.empty())
        found.lines.push_back(std::move(line));
    if (placed == nullptr || !placed->error) return found;
    const PredictionError& error = *placed->error;
    found.error = std::expm1(std::abs(error.bias) + error.spread);
    if (!placed->reversal) found.past_gains = past_gains(error);
    return found;
}

std::string planned_run_text(const LaunchHistory& history, LaunchedAs launched_as,
                             const std::string& placement, double predicted_s, double default_s) {
    if (history.application_id.empty()) return "";
    std::string text = format_planned_run(
        {launched_as, history.basis, placement.empty() ? 0 : short_digest(placement), predicted_s,
         default_s, history.error, history.program, history.application_id});
    // An identity may hold anything, but must not become a line of the protocol.
    return parse_planned_run(text) ? text : "";
}

std::string as_default(const std::string& answer, LaunchedAs launched_as,
                       const std::string& reason) {
    return keep_instead(answer, reason, [&](const std::string& record) {
        auto run = parse_planned_run(record);
        if (!run) return std::string();
        run->launched_as = launched_as;
        run->predicted_s = run->default_s;
        run->placement = 0;
        return format_planned_run(*run);
    });
}

}  // namespace commmap::cli
