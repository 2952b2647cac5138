// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/program_history.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/history/reversal/reversal.hpp"

namespace commmap {
namespace {

bool is_same_run(const PastRun& a, const PastRun& b) {
    return a.job == b.job && a.step == b.step && a.ended_unix_s == b.ended_unix_s &&
           a.wall_s == b.wall_s;
}

bool append(RunArm& arm, const PastRun& run) {
    if (std::any_of(arm.runs.begin(), arm.runs.end(),
                    [&](const PastRun& one) { return is_same_run(one, run); }))
        return false;
    if (arm.runs.size() == RunArm::most_runs) {
        arm.runs.erase(arm.runs.begin());
        ++arm.num_older;
    }
    arm.runs.push_back(run);
    return true;
}

/// Returns a test for the group of the runs that may be compared with each other.
auto is_group(std::uint64_t shape, std::uint64_t arguments, RunClock clock) {
    return [=](const RunGroup& group) {
        return group.shape == shape && group.arguments == arguments && group.clock == clock;
    };
}

/// Moves an element to the end. A full list drops its front: the last used element stays longest.
template <class T>
T& use(std::vector<T>& list, typename std::vector<T>::iterator element) {
    std::rotate(element, element + 1, list.end());
    return list.back();
}

RunArm& arm_of(RunGroup& group, std::uint64_t basis) {
    const auto known = std::find_if(group.placed.begin(), group.placed.end(),
                                    [&](const RunArm& arm) { return arm.basis == basis; });
    if (known != group.placed.end()) return use(group.placed, known);
    if (group.placed.size() == RunGroup::most_bases) group.placed.erase(group.placed.begin());
    RunArm arm;
    arm.basis = basis;
    group.placed.push_back(std::move(arm));
    return group.placed.back();
}

/// Takes a look when one is due. A reversal stays, because while the reversal holds, no placed runs
/// come that could speak against the reversal.
void look_at(RunArm& placed, const RunArm& by_default, std::uint64_t now_unix_s) {
    const unsigned look = look_of(by_default.num_runs(), placed.num_runs());
    if (placed.reversal || look <= placed.last_look) return;
    placed.last_look = look;
    const auto loss = loss_beyond_noise(by_default.wall_s(), placed.wall_s(), look);
    if (!loss) return;
    placed.reversal = Reversal{now_unix_s, loss->slower_by, loss->chance, by_default.num_runs(),
                               placed.num_runs()};
}

}  // namespace

std::vector<double> RunArm::wall_s() const {
    std::vector<double> times;
    times.reserve(runs.size());
    for (const PastRun& run : runs) times.push_back(run.wall_s);
    return times;
}

const RunArm* RunGroup::find(std::uint64_t wanted) const {
    const auto known = std::find_if(placed.begin(), placed.end(),
                                    [&](const RunArm& arm) { return arm.basis == wanted; });
    return known == placed.end() ? nullptr : &*known;
}

const RunGroup* ProgramHistory::find(std::uint64_t shape, std::uint64_t arguments,
                                     RunClock clock) const {
    const auto known =
        std::find_if(groups_.begin(), groups_.end(), is_group(shape, arguments, clock));
    return known == groups_.end() ? nullptr : &*known;
}

RunGroup& ProgramHistory::group_of(const RunRecord& record, RunClock clock) {
    const auto known = std::find_if(groups_.begin(), groups_.end(),
                                    is_group(record.shape, record.arguments, clock));
    if (known != groups_.end()) return use(groups_, known);
    const auto is_of_clock = [&](const RunGroup& group) { return group.clock == clock; };
    if (std::count_if(groups_.begin(), groups_.end(), is_of_clock) ==
        static_cast<std::ptrdiff_t>(most_groups))
        groups_.erase(std::find_if(groups_.begin(), groups_.end(), is_of_clock));
    groups_.push_back({record.num_nodes, record.shape, record.arguments, clock, {}, {}});
    return groups_.back();
}

bool ProgramHistory::add(const RunRecord& record) {
    // Where no planner was asked, srun knows only the command's first word.
    const LaunchedAs way = record.run.launched_as;
    const bool is_first_word = way == LaunchedAs::profiled || way == LaunchedAs::off;
    if (!record.program.empty() && (program_.empty() || !is_first_word)) program_ = record.program;
    const bool is_new = add_by(RunClock::step, record);
    if (record.mpi_s > 0.0) {
        RunRecord timed = record;
        timed.run.wall_s = record.mpi_s;
        static_cast<void>(add_by(RunClock::mpi, timed));
    }
    return is_new;
}

bool ProgramHistory::add_by(RunClock clock, const RunRecord& record) {
    RunGroup& group = group_of(record, clock);
    if (record.run.launched_as == LaunchedAs::placed) {
        RunArm& arm = arm_of(group, record.run.basis);
        if (!append(arm, record.run)) return false;
        if (learns_at(arm.num_runs()) != 0)
            arm.error = prediction_error(arm.runs, group.by_default.runs);
        look_at(arm, group.by_default, record.run.ended_unix_s);
        return true;
    }
    if (!append(group.by_default, record.run)) return false;
    const bool learns = learns_at(group.by_default.num_runs()) != 0;
    for (RunArm& arm : group.placed) {
        if (learns) arm.error = prediction_error(arm.runs, group.by_default.runs);
        look_at(arm, group.by_default, record.run.ended_unix_s);
    }
    return true;
}

void ProgramHistory::restore(std::string program, std::vector<RunGroup> groups) {
    program_ = std::move(program);
    groups_ = std::move(groups);
}

std::string learnt_text(const RunArm* placed) {
    if (placed == nullptr) return "";
    if (placed->reversal) return "reversed";
    if (!placed->error) return "";
    const PredictionError& error = *placed->error;
    return fmt::format("error {} {:.4f} {:.4f}", error.num_runs, error.bias, error.spread);
}

}  // namespace commmap
