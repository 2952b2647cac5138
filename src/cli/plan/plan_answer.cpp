// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/plan_answer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "cli/plan/constraint_costs.hpp"
#include "cli/plan/inside_rules.hpp"
#include "cli/plan/plan_search.hpp"
#include "cli/plan_text.hpp"
#include "core/plan/launch_formats.hpp"
#include "core/plan_reply/plan_reply.hpp"
#include "core/program/needed_libraries.hpp"
#include "core/text/slurm_counts.hpp"

namespace commmap::cli {
namespace {

/// Most ranks for which the costs of other constraints are shown: these take two more plans, and
/// srun waits for the answer.
constexpr std::size_t most_ranks_compared = 256;

/// Most numbers in a plan that is prepared for the watchdog: a file of some hundred KiB.
constexpr std::size_t most_numbers_prepared = 50'000;

/// Returns the report in one line. A path in it need not be UTF-8.
std::string kept_report(const LaunchReport& report) {
    return report.dump(-1, ' ', false, LaunchReport::error_handler_t::replace);
}

PlanAnswer declined(const std::string& reason, bool tell) {
    ReplyWriter answer;
    if (tell) answer.add_line(fmt::format("{}; launching as without commmap", reason));
    answer.decide(PlanReply::Decision::decline);
    return {answer.finish(), report_of_decline(reason)};
}

/// Makes answers from plans.
class Telling {
public:
    enum class Ending {
        whole,       ///< more time would give no other plan
        cut_short,   ///< more time may give another plan
        unfinished,  ///< the same, and there is an unfinished search to go on with
    };

    Telling(const PlanArguments& arguments, const Options& options, const Job& job,
            const PlanWork& work)
        : arguments_(arguments), options_(options), job_(job), work_(work), inside_(options) {}

    /// Returns the answer while some candidate is still being worked on.
    [[nodiscard]] std::string so_far(const Plan& plan) const {
        const InsideRules inside = inside_of(plan);
        ReplyWriter answer;
        say_plan(plan, inside, answer);
        answer.add_line(
            plan.keep_default
                ? "planning took too long; launching as without commmap"
                : "planning took too long (plan-seconds): the best placement found by then");
        if (!arguments_.report.empty())
            answer.add_line("the report is not written: planning took too long (plan-seconds)");
        decide(plan, inside.rules, answer);
        return answer.finish();
    }

    /// Returns the plan so far in the form in which it would be kept.
    [[nodiscard]] std::optional<KeptPlan> kept_so_far(const Plan& plan) const {
        const std::size_t numbers = plan.candidates.size() * job_.scenario.graph.num_ranks();
        if (numbers > most_numbers_prepared || !arguments_.report.empty()) return std::nullopt;
        PlanAnswer done = whole(plan, Ending::unfinished, {});
        if (!done.worth_keeping) return std::nullopt;
        return std::move(done.kept);
    }

    [[nodiscard]] PlanAnswer whole(const Plan& plan, Ending ending,
                                   const std::vector<std::string>& more_lines) const {
        const InsideRules inside = inside_of(plan);
        ReplyWriter answer;
        say_plan(plan, inside, answer);
        for (const std::string& line : more_lines) answer.add_line(line);
        const bool cut_short = ending != Ending::whole;
        if (arguments_.verbose && cut_short)
            answer.add_line("there was no time to look for a better placement (plan-seconds)");
        decide(plan, inside.rules, answer);
        // A plan with nothing but Slurm's own placement is not worth keeping.
        const bool has_tried = plan.candidates.size() > 1;
        PlanAnswer done{answer.finish(), {}, !plan.left_out && (has_tried || !cut_short)};
        KeptPlan& kept = done.kept;
        kept.answer = done.text;
        if (!arguments_.report.empty()) {
            done.report = report_of(plan, inside);
            kept.answer += kept_report(done.report);
        }
        kept.files = job_.cluster.hwloc_files;
        if (!cut_short) return done;
        kept.cut_short_at_ms = work_.cut_short_at_ms;
        kept.launches_left = ending == Ending::unfinished ? work_.launches_left : 0;
        kept.search = text_of_search(plan, work_.earlier ? work_.earlier->times_continued + 1 : 0);
        return done;
    }

private:
    void say_plan(const Plan& plan, const InsideRules& inside, ReplyWriter& answer) const {
        for (const std::string& note : plan.notes) answer.add_line(note);
        if (!inside_.why_native().empty()) answer.add_line(inside_.why_native());
        if (!arguments_.verbose) return;
        for (const std::string& line :
             describe_plan(plan, job_.scenario, options_.threshold_percent))
            answer.add_line(line);
        for (const std::string& line : inside.lines) answer.add_line(line);
    }

    [[nodiscard]] InsideRules inside_of(const Plan& plan) const {
        return inside_.make(job_.scenario.hct, plan.chosen().pu_of_rank, job_.profile.mpi_library);
    }

    /// @param inside  InsideRules::rules
    void decide(const Plan& plan, const std::string& inside, ReplyWriter& answer) const {
        if (plan.keep_default) {
            answer.decide(PlanReply::Decision::keep);
            // A run with other collectives is none of Slurm's own placement alone.
            if (inside.empty()) {
                add_record(plan, LaunchedAs::kept, "", answer);
            } else {
                answer.add_inside(inside);
            }
            return;
        }
        if (!inside.empty()) answer.add_inside(inside);
        const std::vector<PuId>& placement = plan.chosen().pu_of_rank;
        const std::string order = node_order(job_.scenario.hct, placement);
        const std::string cpu_sets = cpu_set_patterns(job_.scenario.hct, placement);
        answer.apply(format_counts(job_.scenario.tasks_per_node), order, cpu_sets);
        std::string what_runs = order + ' ' + cpu_sets;
        if (!inside.empty()) what_runs += ' ' + inside;
        add_record(plan, LaunchedAs::placed, what_runs, answer);
    }

    void add_record(const Plan& plan, LaunchedAs launched_as, const std::string& placement,
                    ReplyWriter& answer) const {
        if (work_.history == nullptr) return;
        const std::string record =
            planned_run_text(*work_.history, launched_as, placement, plan.chosen().predicted_s,
                             plan.candidates.front().predicted_s);
        if (!record.empty()) answer.keep_record(record);
    }

    [[nodiscard]] LaunchReport report_of(const Plan& plan, const InsideRules& inside) const {
        LaunchReport report = report_of_plan(plan, job_.scenario, options_.threshold_percent);
        report["inside"] = report_of_rules(inside.chosen);
        report["left_alone"] = LaunchReport::array();
        if (!arguments_.left_alone.empty()) {
            report["left_alone"].push_back(arguments_.left_alone);
            for (LaunchReport& rank : report["ranks"]) rank["cpu_set_index"] = nullptr;
        }
        return report;
    }

    const PlanArguments& arguments_;
    const Options& options_;
    const Job& job_;
    const PlanWork& work_;
    InsideRulesMaker inside_;
};

}  // namespace

std::optional<PlanAnswer> answer_of(const KeptPlan& kept) {
    const std::string& all = kept.answer;
    const auto size = length_of_reply(all);
    if (!size) return std::nullopt;
    return PlanAnswer{all.substr(0, *size), LaunchReport::parse(all.substr(*size), nullptr, false)};
}

std::string too_late() {
    ReplyWriter answer;
    answer.add_line("planning took too long; launching as without commmap");
    answer.decide(PlanReply::Decision::decline);
    return answer.finish();
}

PlanAnswer work_out(const PlanArguments& arguments, const Options& options,
                    const Result<ProfileChoice>& choice, const PlanWork& work) {
    if (!choice) {
        // A user of `srun hostname` need not be told each time that there is nothing to place.
        const std::string program = path_of_command(arguments.job);
        if (choice.error().code == Errc::not_found && surely_without_mpi(program))
            return declined(fmt::format("'{}' has no MPI: nothing to place", program),
                            arguments.verbose);
        return declined(choice.error().message, true);
    }
    const auto job = load_job(arguments.job, options, choice.value());
    if (!job) return declined(job.error().message, true);
    const Scenario& scenario = job.value().scenario;
    const Telling telling(arguments, options, job.value(), work);
    PlannerOptions planner = planner_options(options);
    planner.deadline = work.begin();
    if (work.history != nullptr) planner.past_gains = work.history->past_gains;
    if (work.threads != 0) planner.threads = work.threads;
    PlannerOptions whole = planner;
    whole.earlier = work.earlier;
    if (work.on_better) {
        whole.on_better = [&](const Plan& so_far) {
            try {
                work.on_better(telling.so_far(so_far), [&] { return telling.kept_so_far(so_far); });
            } catch (const std::bad_alloc&) {
                return;  // the answer before this one still holds
            }
        };
    }
    const auto plan = make_plan(scenario, job.value().profile, job.value().cluster, whole);
    if (!plan) return declined(plan.error().message, true);
    std::vector<std::string> costs;
    if (arguments.verbose && scenario.graph.num_ranks() <= most_ranks_compared &&
        !planner.deadline.passed())
        costs = describe_keeping(plan.value(), job.value(), planner);
    using Ending = Telling::Ending;
    const bool unfinished = plan.value().ended_by_deadline || planner.deadline.passed();
    const Ending ending = unfinished               ? Ending::unfinished
                          : plan.value().cut_short ? Ending::cut_short
                                                   : Ending::whole;
    return telling.whole(plan.value(), ending, costs);
}

}  // namespace commmap::cli
