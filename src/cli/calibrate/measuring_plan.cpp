// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/measuring_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/measuring_step.hpp"
#include "cli/command.hpp"
#include "core/calibration/blocks.hpp"
#include "core/calibration/inside_kinds.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/config/sources.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

/// Collects what the measuring program prints, and shows the user how far it is.
class Progress {
public:
    Progress(const Cluster& cluster, const MeasuringPlan& plan) : cluster_(cluster), plan_(plan) {}

    /// @param first, num_series  which series of the plan the program measures
    void take(const std::string& line, std::size_t first, std::size_t num_series) {
        if (auto library = read_library(line)) library_ = *std::move(library);
        auto measured = read_measured(line);
        if (!measured || measured->series >= num_series ||
            measured->blocks.size() != blocks_of_length) {
            return;
        }
        measured->series += static_cast<std::uint32_t>(first);
        if (all_.empty() || all_.back().series != measured->series) {
            const Series& one = plan_.series[measured->series];
            const std::string name = one.kind != no_id
                                         ? name_of_kind(cluster_, plan_.kinds[one.kind])
                                         : name_of_kind(cluster_, plan_.switches[one.switch_kind]);
            std::fprintf(stderr, "commmap: [%u/%zu] %s: %s\n", measured->series + 1,
                         plan_.series.size(), name.c_str(),
                         describe_series(one, plan_.allocation).c_str());
        }
        all_.push_back(*std::move(measured));
    }

    /// Forgets the series from one on.
    void forget(std::size_t first) {
        std::erase_if(all_, [&](const Measured& one) { return one.series >= first; });
    }

    [[nodiscard]] const std::vector<Measured>& all() const { return all_; }
    [[nodiscard]] const std::string& library() const { return library_; }

private:
    const Cluster& cluster_;
    const MeasuringPlan& plan_;
    std::vector<Measured> all_;
    std::string library_;
};

/// The series that one step measures: those between nodes, or those of one level inside a node.
struct SeriesOfStep {
    std::size_t first = 0;
    std::vector<NamedSeries> series;
    NodeId node = no_id;              ///< no_id: between nodes
    std::uint32_t kind = no_id;       ///< of a level inside that node
    std::vector<std::uint32_t> cpus;  ///< of that node, which the series name
};

/// @param named  the series of the plan, as the measuring program gets them
std::vector<SeriesOfStep> steps_of(const MeasuringPlan& plan,
                                   const std::vector<NamedSeries>& named) {
    std::vector<SeriesOfStep> steps;
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        const Series& one = plan.series[s];
        const std::uint32_t kind = one.inside_of == no_id ? no_id : one.kind;
        if (steps.empty() || steps.back().kind != kind) {
            steps.push_back({s, {}, one.inside_of, kind, {}});
        }
        SeriesOfStep& step = steps.back();
        step.series.push_back(named[s]);
        if (one.inside_of == no_id) continue;
        for (const auto& ends : {one.senders, one.receivers}) {
            for (const std::uint32_t cpu : ends) {
                if (std::find(step.cpus.begin(), step.cpus.end(), cpu) == step.cpus.end()) {
                    step.cpus.push_back(cpu);
                }
            }
        }
    }
    return steps;
}

/// Runs the measuring program for each step. A level inside a node that cannot be measured as a
/// whole is left out, and a line says so: links between nodes are worth writing without it, and a
/// maximum of the first few pairs would be too low.
Status run_steps(const MeasuringProgram& program, const MeasuringPlan& plan,
                 const std::vector<NamedSeries>& named, Progress& progress) {
    const SignalsHandedOn signals;  // between two steps too, where nothing measured may be lost
    for (const SeriesOfStep& step : steps_of(plan, named)) {
        if (signal_went_on()) return Error{Errc::invalid_input, "a signal ended the measuring"};
        const auto on_line = [&](const std::string& line) {
            progress.take(line, step.first, step.series.size());
        };
        const std::string text = write_series(step.series);
        if (step.node == no_id) {
            Status done =
                run_measuring_program(program, plan.allocation.nodes.size(), text, on_line);
            if (!done) return done;
            continue;
        }
        const std::string& node = plan.allocation.nodes[step.node].name;
        Status done = run_measuring_program_inside(program, node, step.cpus, text, on_line);
        if (!done && signal_went_on()) return done;
        if (!done) {
            progress.forget(step.first);
            print_notes({fmt::format("inside of node {} a level is not measured: {}",
                                     commmap::quoted(node), done.error().message)});
        }
    }
    if (signal_went_on()) return Error{Errc::invalid_input, "a signal ended the measuring"};
    return Ok{};
}

}  // namespace

Result<MeasuringPlan> plan_between(const Cluster& cluster, Result<Allocation> allocation,
                                   bool inside) {
    if (!allocation) return allocation.error();
    auto kinds = find_port_kinds(cluster, allocation.value());
    if (!kinds) return kinds.error();
    if (inside) {
        auto more = find_inside_kinds(cluster, allocation.value());
        if (!more) return more.error();
        for (PortKind& kind : more.value()) kinds.value().push_back(std::move(kind));
    }
    auto switches = find_switch_kinds(cluster, allocation.value());
    if (!switches) return switches.error();
    std::vector<Series> series = plan_series(kinds.value(), switches.value());
    return MeasuringPlan{std::move(allocation).value(), std::move(kinds).value(),
                         std::move(switches).value(), std::move(series)};
}

Result<Measurements> measure(const MeasuringProgram& program, const Cluster& cluster,
                             const MeasuringPlan& plan, Status& ended) {
    if (plan.series.empty()) {
        return Error{Errc::invalid_input,
                     "nothing can be measured between these nodes: --dry-run says why"};
    }
    Measurements measurements;
    measurements.series = named(plan.series, plan.allocation);
    Progress progress(cluster, plan);
    ended = run_steps(program, plan, measurements.series, progress);
    if (progress.all().empty()) {
        if (!ended) return ended.error();
        return Error{Errc::invalid_input, "the measuring program measured nothing"};
    }
    measurements.date = today();
    measurements.job = own_variable("SLURM_JOB_ID").value_or("");
    measurements.library = progress.library();
    if (program.by_tcp() && measurements.library.starts_with("Open MPI")) {
        measurements.library += " over TCP";
    } else if (program.by_tcp()) {
        print_notes({"--transport did nothing: only Open MPI is told to use TCP"});
    }
    for (const Allocation::Node& node : plan.allocation.nodes) {
        measurements.nodes.push_back(node.name);
    }
    measurements.measured = progress.all();
    measurements.complete = ended.ok();
    return measurements;
}

}  // namespace commmap::cli
