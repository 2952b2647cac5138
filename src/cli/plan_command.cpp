#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/last_moment.hpp"
#include "cli/left_behind.hpp"
#include "cli/plan_answer.hpp"
#include "cli/plan_search.hpp"
#include "core/config/sources.hpp"
#include "core/plan/plan_cache.hpp"

namespace commmap::cli {
namespace {

constexpr double last_moment = 1.4;  ///< of the budget: what cannot be stopped is not waited for
/// An unfinished plan is improved for so long, after the answer.
constexpr double most_seconds_after_answer = 0.05;

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

/// A question to the planner whose answer may be kept.
class KeptQuestion {
public:
    KeptQuestion(const PlanArguments& arguments, const Options& options,
                 const Result<ProfileChoice>& profile, PlanCache cache, std::string key)
        : arguments_(arguments),
          options_(options),
          profile_(profile),
          cache_(std::move(cache)),
          key_(std::move(key)) {}

    [[nodiscard]] Result<KeptPlan> find() const { return cache_.find(key_); }

    /// A full disk costs no more than the next plan.
    void keep(const KeptPlan& plan) const { static_cast<void>(cache_.keep(key_, plan)); }

    [[nodiscard]] std::optional<LastMoment::File> file_of(const KeptPlan& plan) const {
        auto file = cache_.file_of(key_, plan);
        if (!file) return std::nullopt;
        return LastMoment::File{std::move(file.value().path), std::move(file.value().content)};
    }

    /// Goes on from where the search of an unfinished plan stopped. The plan is kept with one
    /// launch less first, so that a planner that dies here does not begin for ever.
    void improve(KeptPlan plan) const {
        const Deadline deadline = Deadline::after(0.8 * most_seconds_after_answer);  // writes, too
        const auto earlier = search_of_text(plan.search);
        if (--plan.launches_left == 0) plan.search.clear();
        keep(plan);
        if (!earlier) return;
        PlanAnswer better = work_out(
            arguments_, options_, profile_,
            {.deadline = deadline, .earlier = &*earlier, .launches_left = plan.launches_left});
        // What another launch has kept meanwhile is not replaced: it may be better.
        const auto now = find();
        if (better.worth_keeping && now && now.value() == plan) keep(better.kept);
    }

private:
    const PlanArguments& arguments_;
    const Options& options_;
    const Result<ProfileChoice>& profile_;
    PlanCache cache_;
    std::string key_;
};

/// none: the question does not come again, or no plan is to be kept.
std::optional<KeptQuestion> kept_question(const PlanArguments& arguments, const Options& options,
                                          const Result<ProfileChoice>& profile) {
    const auto directory = profile_directory(options);
    // Only a question with all of its parts given is a question that comes again.
    const bool complete = !arguments.job.nodelist.empty() && arguments.job.num_ranks != 0;
    if (!options.plan_cache || !directory || !profile || !complete) return std::nullopt;
    std::vector<std::string> files = profile.value().paths;
    files.push_back(options.cluster_file);
    auto key = PlanCache::key(files, question_of(arguments, options));
    if (!key) return std::nullopt;
    return KeptQuestion(arguments, options, profile,
                        PlanCache(directory.value(), options.profile_readers),
                        std::move(key).value());
}

std::string with_line(const std::string& line, const std::string& answer) {
    Answer before;
    before.say(line);
    return before.continued_by(answer);
}

Status answer(const PlanArguments& arguments, const Options& options) {
    LastMoment last(last_moment * arguments.budget_s, too_late());
    const Deadline deadline =
        arguments.budget_s > 0.0 ? Deadline::after(arguments.budget_s) : Deadline{};
    const auto profile = choose_profile(arguments.job, options);
    const auto print = [&](const std::string& text, const LaunchReport& report) {
        last.over();  // never two answers, nor one that the report contradicts
        return write_output("", with_report(text, report, arguments, profile));
    };
    const auto question = kept_question(arguments, options, profile);
    std::string why_anew;  // for a user who wants to know
    if (question) {
        const auto known = question->find();
        if (known) {
            const KeptPlan& plan = known.value();
            PlanAnswer kept = answer_of(plan);
            if (plan.launches_left > 0 && arguments.verbose)
                kept.text = with_line("this plan is not finished: it is improved after this launch",
                                      kept.text);
            Status printed = print(kept.text, kept.report);
            if (plan.launches_left > 0 && is_left_behind(most_seconds_after_answer))
                question->improve(plan);
            return printed;
        }
        if (known.error().code == Errc::invalid_input)
            why_anew = "the kept plan is not used, and planned anew: " + known.error().message;
    }
    PlanWork work{.deadline = deadline};
    if (last.expected()) {
        work.on_better = [&](std::string text, const KeptPlan& kept) {
            last.prepare(std::move(text), question ? question->file_of(kept) : std::nullopt);
        };
    }
    const PlanAnswer worked = work_out(arguments, options, profile, work);
    Status written = print(
        why_anew.empty() || !arguments.verbose ? worked.text : with_line(why_anew, worked.text),
        worked.report);
    if (question && worked.worth_keeping) question->keep(worked.kept);
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
