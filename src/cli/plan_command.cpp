#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/keep_costs.hpp"
#include "cli/last_moment.hpp"
#include "cli/launch_report.hpp"
#include "cli/plan_text.hpp"
#include "core/base/slurm_counts.hpp"
#include "core/config/sources.hpp"
#include "core/plan/launch_formats.hpp"
#include "core/plan/plan_cache.hpp"
#include "core/profile/needed_libraries.hpp"

namespace commmap::cli {
namespace {

/// srun waits for the answer, and what the other constraints cost takes two more plans.
constexpr std::size_t most_ranks_compared = 256;

struct PlanArguments {
    JobArguments job;
    bool verbose = false;
    std::string report;      ///< file for the launch's report; empty: none
    std::string left_alone;  ///< what the plugin leaves to Slurm whatever the plan is
    double budget_s = 0.0;   ///< 0: as long as it takes
};

constexpr double last_moment = 1.4;  ///< of the budget: what cannot be stopped is not waited for

/// The answer, line by line (docs/planner-protocol.md).
class Answer {
public:
    void say(std::string line) {
        // a path in a message may hold anything: it must not become a line of the protocol
        std::replace_if(
            line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
        item("line", line);
    }
    void item(const std::string& name, const std::string& value) {
        text_ += name + " " + value + '\n';
    }
    [[nodiscard]] std::string finish() { return text_ + "end\n"; }
    /// What is said here, before what another answer says.
    [[nodiscard]] std::string continued_by(std::string_view answer) const {
        return text_ + std::string(answer.substr(first_line.size()));
    }

private:
    static constexpr std::string_view first_line = "commmap-plan 1\n";
    std::string text_ = std::string(first_line);
};

void say_plan(const Plan& plan, const Scenario& scenario, bool verbose, const Options& options,
              Answer& answer) {
    for (const std::string& note : plan.notes) answer.say(note);
    if (!verbose) return;
    for (const std::string& line : describe_plan(plan, scenario, options.threshold_percent))
        answer.say(line);
}

void decide(const Plan& plan, const Scenario& scenario, Answer& answer) {
    if (plan.keep_default) {
        answer.item("decision", "keep");
        return;
    }
    const std::vector<PuId>& placement = plan.chosen().pu_of_rank;
    answer.item("decision", "apply");
    answer.item("tasks-per-node", format_counts(scenario.tasks_per_node));
    answer.item("order", node_order(scenario.hct, placement));
    answer.item("slots", slot_patterns(scenario.hct, placement));
}

/// When not even Slurm's own placement has been looked at.
std::string too_late() {
    Answer answer;
    answer.say("planning took too long; launching as without commmap");
    answer.item("decision", "decline");
    return answer.finish();
}

/// When some candidate is still being worked on.
std::string best_so_far(const Plan& plan, const Scenario& scenario, const PlanArguments& arguments,
                        const Options& options) {
    Answer answer;
    say_plan(plan, scenario, arguments.verbose, options, answer);
    answer.say(plan.keep_default
                   ? "planning took too long; launching as without commmap"
                   : "planning took too long (plan-seconds): the best placement found by then");
    if (!arguments.report.empty()) answer.say("no report: planning took too long");
    decide(plan, scenario, answer);
    return answer.finish();
}

/// Everything that a plan depends on, but for the files.
std::vector<std::string> question_of(const PlanArguments& arguments, const Options& options) {
    const JobArguments& job = arguments.job;
    return {COMMMAP_VERSION,
            std::to_string(job.num_ranks),
            job.nodelist,
            job.cpus_per_node,
            std::to_string(job.cpus_per_task),
            job.layout,
            std::to_string(options.threshold_percent),
            std::to_string(options.seed),
            options.rank0_free ? "free" : "first",
            std::string(keep_name(options.keep)),
            arguments.verbose ? "verbose" : "",
            arguments.report.empty() ? "" : "report",
            arguments.left_alone,
            options.cluster_file};  // files that it names are beside it
}

struct Worked {
    std::string text;
    LaunchReport report;
    bool worth_keeping = false;
    std::vector<std::string> files;  ///< that the answer depends on besides the question
};

/// What is kept of an answer: its text, and behind its last line the report's part of it where one
/// was asked for.
struct Kept {
    std::string text;
    LaunchReport report;
};

/// In one line. A path need not be UTF-8.
std::string kept_report(const LaunchReport& report) {
    return report.dump(-1, ' ', false, LaunchReport::error_handler_t::replace);
}

Kept split(const std::string& kept) {
    constexpr std::string_view last_line = "\nend\n";
    const std::size_t end = std::min(kept.find(last_line), kept.size() - last_line.size());
    const std::size_t size = end + last_line.size();
    return {kept.substr(0, size), LaunchReport::parse(kept.substr(size), nullptr, false)};
}

/// Every failure is a decision too: the job must start.
Worked work_out(const PlanArguments& arguments, const Options& options,
                const Result<ProfileChoice>& choice, const Deadline& deadline, LastMoment& last) {
    Answer answer;
    const auto decline = [&](const std::string& reason, bool tell) {
        if (tell) answer.say(reason + "; launching as without commmap");
        answer.item("decision", "decline");
        return Worked{answer.finish(), report_of_decline(reason), false, {}};
    };
    if (!choice) {
        // Nobody needs to be told of every `srun hostname` that there is nothing to place.
        const std::string program = path_of_command(arguments.job);
        if (choice.error().code == Errc::not_found && surely_without_mpi(program))
            return decline("'" + program + "' has no MPI: nothing to place", arguments.verbose);
        return decline(choice.error().message, true);
    }
    const auto job = load_job(arguments.job, options, choice.value());
    if (!job) return decline(job.error().message, true);
    const Scenario& scenario = job.value().scenario;
    PlannerOptions planner = planner_options(options);
    planner.deadline = deadline;
    PlannerOptions prepared = planner;
    if (last.expected()) {
        prepared.on_better = [&](const Plan& so_far) {
            try {
                last.prepare(best_so_far(so_far, scenario, arguments, options));
            } catch (const std::bad_alloc&) {
                return;  // the one before is as true
            }
        };
    }
    const auto plan = make_plan(scenario, job.value().profile, job.value().cluster, prepared);
    if (!plan) return decline(plan.error().message, true);

    say_plan(plan.value(), scenario, arguments.verbose, options, answer);
    if (arguments.verbose) {
        if (scenario.graph.num_ranks() <= most_ranks_compared && !deadline.passed()) {
            for (const std::string& line : describe_keeping(plan.value(), job.value(), planner))
                answer.say(line);
        }
        if (plan.value().cut_short)
            answer.say("there was no time to look for a better placement (plan-seconds)");
    }
    const bool worth_keeping =
        !plan.value().cut_short && !plan.value().left_out && !deadline.passed();
    const std::vector<std::string>& files = job.value().cluster.hwloc_files;
    LaunchReport report = report_of_plan(plan.value(), scenario, options.threshold_percent);
    report["left_alone"] = LaunchReport::array();
    if (!arguments.left_alone.empty()) {
        report["left_alone"].push_back(arguments.left_alone);
        for (LaunchReport& rank : report["ranks"]) rank["slot"] = nullptr;
    }
    decide(plan.value(), scenario, answer);
    return {answer.finish(), std::move(report), worth_keeping, files};
}

/// Writes the report that was asked for and says in the answer what became of it.
std::string with_report(std::string text, const LaunchReport& decided,
                        const PlanArguments& arguments, const Result<ProfileChoice>& profile) {
    if (arguments.report.empty()) return text;
    LaunchReport report = report_of_job(arguments.job);
    if (profile) report["profile"] = profile.value().paths.front();
    if (decided.is_object()) report.update(decided);
    const Status written = write_output(arguments.report, report_text(report));
    Answer note;
    if (written) {
        note.item("report", "written");
    } else {
        note.say("no report: " + written.error().message);
    }
    return note.continued_by(text);
}

Status answer(const PlanArguments& arguments, const Options& options) {
    LastMoment last(last_moment * arguments.budget_s, too_late());
    const Deadline deadline =
        arguments.budget_s > 0.0 ? Deadline::after(arguments.budget_s) : Deadline{};
    const auto directory = profile_directory(options);
    const auto profile = choose_profile(arguments.job, options);
    // Only a question with all of its parts given is a question that comes again.
    const bool complete = !arguments.job.nodelist.empty() && arguments.job.num_ranks != 0;
    const auto print = [&](const std::string& text, const LaunchReport& report) {
        last.over();  // never two answers, nor one that the report contradicts
        return write_output("", with_report(text, report, arguments, profile));
    };
    if (!options.plan_cache || !directory || !profile || !complete) {
        const Worked worked = work_out(arguments, options, profile, deadline, last);
        return print(worked.text, worked.report);
    }

    const PlanCache cache(directory.value(), options.profile_readers);
    std::vector<std::string> files = profile.value().paths;
    files.push_back(options.cluster_file);
    const auto key = PlanCache::key(files, question_of(arguments, options));
    if (key) {
        if (const auto known = cache.find(key.value()); known) {
            const Kept kept = split(*known);
            return print(kept.text, kept.report);
        }
    }
    const Worked worked = work_out(arguments, options, profile, deadline, last);
    Status written = print(worked.text, worked.report);
    // A full disk costs no more than the next plan.
    if (key && worked.worth_keeping) {
        static_cast<void>(
            cache.keep(key.value(), worked.files,
                       worked.text + (arguments.report.empty() ? "" : kept_report(worked.report))));
    }
    return written;
}

}  // namespace

void add_plan_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand(
        "plan", "what --commmap=auto would do for a job, as the plugin asks for it");
    add_job_arguments(*command, context, arguments->job);
    add_table_options(
        *command, context,
        {"threshold", "seed", "rank0", "keep", "plan-cache", "plan-threads", "profile-readers"});
    command
        ->add_option("--budget", arguments->budget_s,
                     "answer after this time with the best placement so far [no limit]")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.001, 86400.0));
    command->add_flag("--verbose", arguments->verbose, "describe the plan");
    command
        ->add_option("--report", arguments->report,
                     "write what was looked at and decided here, as JSON")
        ->type_name("FILE");
    command
        ->add_option("--left-alone", arguments->left_alone,
                     "for the report: why CPUs are bound by Slurm whatever the plan is")
        ->type_name("TEXT");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return answer(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
