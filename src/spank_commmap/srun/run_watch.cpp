// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/run_watch.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "core/history/comparison.hpp"
#include "core/history/record/run_shape.hpp"
#include "core/program/application_id.hpp"
#include "core/text/units.hpp"

namespace commmap::spank {
namespace {

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void RunWatch::note_plan(const std::string& text) {
    planned_ = parse_planned_run(text);
    text_ = planned_ ? text : "";
}

void RunWatch::note_unplanned(LaunchedAs launched_as, std::string program) {
    if (program.size() > most_program_bytes) program.erase(0, program.size() - most_program_bytes);
    planned_ = PlannedRun{};
    planned_->launched_as = launched_as;
    planned_->program = std::move(program);
}

void RunWatch::begin(std::uint32_t job, std::uint32_t step) {
    job_ = job;
    step_ = step;
    began_ns_ = now_ns();
}

void RunWatch::end() {
    if (began_ns_ != 0 && ended_ns_ == 0) ended_ns_ = now_ns();
}

std::optional<RunRecord> RunWatch::record(const Launch& launch) const {
    if (!planned_ || ended_ns_ <= began_ns_ || began_ns_ == 0) return std::nullopt;
    RunRecord record;
    record.application_id = planned_->application_id;
    record.program = planned_->program;
    for (const std::uint32_t tasks : launch.tasks_per_node) {
        record.num_ranks += tasks;
        record.num_nodes += tasks == 0 ? 0 : 1;
    }
    record.shape = run_shape(launch.tasks_per_node, launch.cpus_per_task);
    const bool has_tag = !launch.tag.empty() || !tag_of(record.application_id).empty();
    record.arguments = has_tag ? 0 : arguments_digest(launch.words);
    PastRun& run = record.run;
    const std::time_t now = std::time(nullptr);
    run.ended_unix_s = now < 0 ? 0 : static_cast<std::uint64_t>(now);
    run.wall_s = static_cast<double>(ended_ns_ - began_ns_) / 1e9;
    run.predicted_s = planned_->predicted_s;
    run.default_s = planned_->default_s;
    run.error = planned_->error;
    run.basis = planned_->basis;
    run.placement = planned_->placement;
    run.job = job_;
    run.step = step_;
    run.launched_as = planned_->launched_as;
    return record;
}

std::string outcome_text(const RunRecord& record) {
    const PastRun& run = record.run;
    std::string text = "the step took " + format_seconds(run.wall_s);
    if (run.predicted_s <= 0.0) return text;
    return text + ", " + format_seconds(run.predicted_s) + " were predicted (" +
           longer_text(run.wall_s / run.predicted_s - 1.0) + ")";
}

}  // namespace commmap::spank
