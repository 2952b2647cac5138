// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/answer_watchdog.hpp"
#include "cli/plan/inside_rules.hpp"
#include "cli/plan/launch_history.hpp"
#include "cli/plan/left_behind.hpp"
#include "cli/plan/plan_answer.hpp"
#include "cli/plan/plan_search.hpp"
#include "cli/plan/plan_sources_generated.hpp"
#include "core/base/handle.hpp"
#include "core/config/sources.hpp"
#include "core/plan/plan_cache.hpp"
#include "core/plan_reply/plan_reply.hpp"

namespace commmap::cli {
namespace {

/// Share of the budget after which the watchdog answers, for work that cannot be stopped.
constexpr double watchdog_share = 1.4;
/// CPU time for which an unfinished plan is improved after the answer.
constexpr double seconds_after_answer = 0.05;

/// Returns everything that a plan depends on, but for the files.
std::vector<std::string> question_of(const PlanArguments& arguments, const Options& options) {
    const JobArguments& job = arguments.job;
    std::vector<std::string> question = {plan_sources,  // another build may plan otherwise
                                         std::to_string(job.num_ranks),
                                         job.nodelist,
                                         job.cpus_per_node,
                                         std::to_string(job.cpus_per_task),
                                         job.layout,
                                         arguments.verbose ? "verbose" : "",
                                         arguments.report.empty() ? "" : "report",
                                         arguments.left_alone};
    // among them the path of the cluster YAML: the files that it names lie beside it
    for (std::string& text : options_of_plan(options)) question.push_back(std::move(text));
    return question;
}

/// Returns the answer to give: the default if the plan has lost, or if this launch explores the
/// default. The plan itself is kept.
PlanAnswer obeying(const LaunchHistory& history, double explore_percent, PlanAnswer answer) {
    std::string reason = history.reversal;
    LaunchedAs launched_as = LaunchedAs::reversed;
    if (reason.empty() && explore_percent > 0.0) {
        std::random_device random;  // two launches at once must not decide alike
        const double share =
            static_cast<double>(random()) / static_cast<double>(std::random_device::max());
        if (100.0 * share >= explore_percent) return answer;
        reason = "this run is Slurm's own placement, to compare with (explore)";
        launched_as = LaunchedAs::explored;
    }
    if (reason.empty()) return answer;
    std::string changed = as_default(answer.text, launched_as, reason);
    if (changed != answer.text) note_default(answer.report, reason);
    answer.text = std::move(changed);
    return answer;
}

/// Puts the lines about this launch alone in front of the answer.
std::string with_history(const LaunchHistory& history, bool verbose, const std::string& answer) {
    ReplyWriter before;
    for (const std::string& line : history.notes) before.add_line(line);
    if (verbose)
        for (const std::string& line : history.lines) before.add_line(line);
    return before.continued_by(answer);
}

/// Writes the report if the user asked for one, and says in the answer what became of it.
std::string with_report(std::string text, const LaunchReport& decided,
                        const PlanArguments& arguments, const Result<ProfileChoice>& profile) {
    if (arguments.report.empty()) return text;
    LaunchReport report = report_of_job(arguments.job);
    if (profile) report["profile"] = profile.value().paths.front();
    if (decided.is_object()) report.update(decided);
    const Status written = write_output(arguments.report, report_text(report));
    ReplyWriter note;
    if (written) {
        note.note_report();
    } else {
        note.add_line("no report: " + written.error().message);
    }
    return note.continued_by(text);
}

/// A question to the planner whose answer may be kept.
class KeptQuestion {
public:
    KeptQuestion(const PlanArguments& arguments, const Options& options,
                 const Result<ProfileChoice>& profile, const LaunchHistory& history,
                 PlanCache cache, std::string key)
        : arguments_(arguments),
          options_(options),
          profile_(profile),
          history_(history),
          cache_(std::move(cache)),
          key_(std::move(key)) {}

    [[nodiscard]] Result<KeptPlan> find() const { return cache_.find(key_); }

    [[nodiscard]] bool is_begun() const { return cache_.is_begun(key_); }

    /// Returns whether a plan serves this question. A question with more time than the plan had
    /// might get a better plan.
    [[nodiscard]] bool is_served_by(const KeptPlan& plan) const {
        return plan.cut_short_at_ms == 0 ||
               (arguments_.budget_s > 0.0 && budget_ms() <= plan.cut_short_at_ms);
    }

    [[nodiscard]] std::uint64_t budget_ms() const {
        return static_cast<std::uint64_t>(std::ceil(1000.0 * arguments_.budget_s));
    }

    /// Keeps a new plan. A plan that was cut short replaces none that serves the same question, for
    /// another launch may have improved that one.
    /// A failure (a full disk) only costs the next launch a plan.
    void keep_new(const KeptPlan& plan) const {
        FileDescriptor lock;
        if (plan.cut_short_at_ms > 0) {
            lock = cache_.lock();  // without the lock, the plan that is kept last stays
            const auto other = find();
            if (other && answer_of(other.value()) && is_served_by(other.value())) return;
        }
        static_cast<void>(cache_.keep(key_, plan));
    }

    /// @param may_replace  an existing file may be replaced, whatever it is
    [[nodiscard]] std::optional<AnswerWatchdog::File> file_of(const std::optional<KeptPlan>& plan,
                                                              bool may_replace) const {
        if (!plan) return std::nullopt;
        auto file = cache_.file_of(key_, *plan);
        if (!file) return std::nullopt;
        return AnswerWatchdog::File{std::move(file.value().path), std::move(file.value().content),
                                    may_replace};
    }

    /// Goes on from where the search of an unfinished plan stopped.
    /// Only one process at a time does so, and only if the plan is still the one that the asked
    /// process kept.
    /// First keeps the plan with one launch less, so that a planner that dies here does not begin
    /// for ever.
    void improve(KeptPlan plan) const {
        const FileDescriptor lock = cache_.lock();
        const auto now = find();
        if (!lock || !now || now.value() != plan) return;
        --plan.launches_left;
        if (!cache_.keep(key_, plan)) return;
        const auto earlier = search_of_text(plan.search);
        if (!earlier) return;
        const PlanAnswer better =
            work_out(arguments_, options_, profile_,
                     {.begin = [] { return deadline_by_cpu_time(seconds_after_answer); },
                      .threads = 1,
                      .history = &history_,
                      .earlier = &*earlier,
                      .launches_left = plan.launches_left,
                      .cut_short_at_ms = plan.cut_short_at_ms});
        // A launch with more time may have kept a better plan, without the lock.
        const auto still = find();
        if (better.worth_keeping && still && still.value() == plan)
            static_cast<void>(cache_.keep(key_, better.kept));
    }

private:
    const PlanArguments& arguments_;
    const Options& options_;
    const Result<ProfileChoice>& profile_;
    const LaunchHistory& history_;
    PlanCache cache_;
    std::string key_;
};

/// Returns the question if its plan may be kept. None: the question does not come again, or no plan
/// is to be kept.
std::optional<KeptQuestion> kept_question(const PlanArguments& arguments, const Options& options,
                                          const Result<ProfileChoice>& profile,
                                          const LaunchHistory& history) {
    const auto directory = profile_directory(options);
    // Only a question with all of its parts given can come again.
    const bool complete = !arguments.job.nodelist.empty() && arguments.job.num_ranks != 0;
    if (!options.plan_cache || !directory || !profile || !complete) return std::nullopt;
    std::vector<std::string> files = profile.value().paths;
    files.push_back(options.cluster_file);
    std::vector<std::string> question = question_of(arguments, options);
    if (options.inside != Inside::none) {
        TimesFile times = times_file(options);
        question.push_back(times.state);
        if (!times.path.empty()) files.push_back(std::move(times.path));
    }
    // The plan obeys facts learnt since it was kept, and its record is that of this program.
    for (const std::string& part : {history.application_id, history.program, history.learnt})
        question.push_back(part);
    // Only they tell what earlier runs gained: other launches keep their plan, whatever was learnt.
    const bool tells = arguments.verbose || !arguments.report.empty();
    if (const auto& past = history.past_gains; past && past->share_measured && tells)
        question.push_back(fmt::format("share measured {:.6g}", *past->share_measured));
    auto key = PlanCache::key(files, question);
    if (!key) return std::nullopt;
    return KeptQuestion(arguments, options, profile, history,
                        PlanCache(directory.value(), options.profile_visibility),
                        std::move(key).value());
}

/// Returns one line why the kept plan is not used; empty: no plan was kept.
std::string why_not_kept(const KeptQuestion& question, const Result<KeptPlan>& known) {
    const std::string anew = "the kept plan is not used, and planned anew: ";
    if (!known && known.error().code == Errc::not_found)
        return question.is_begun() ? anew + "another planner is still writing the plan, or died"
                                   : "";
    if (!known) return anew + known.error().message;
    if (!answer_of(known.value())) return anew + "it holds no answer";
    return anew + fmt::format("it was cut short after {} ms, and this launch has more time",
                              known.value().cut_short_at_ms);
}

std::string with_line(const std::string& line, const std::string& answer) {
    ReplyWriter before;
    before.add_line(line);
    return before.continued_by(answer);
}

Status answer(const PlanArguments& arguments, const Options& options) {
    AnswerWatchdog watchdog(watchdog_share * arguments.budget_s, too_late());
    const Deadline deadline =
        arguments.budget_s > 0.0 ? Deadline::after(arguments.budget_s) : Deadline{};
    const auto profile = choose_profile(arguments.job, options);
    const LaunchHistory history =
        profile ? history_of_launch(arguments.job, options, profile.value()) : LaunchHistory{};
    const auto obeyed = [&](PlanAnswer given) {
        given = obeying(history, options.explore_percent, std::move(given));
        given.text = with_history(history, arguments.verbose, given.text);
        return given;
    };
    const auto print = [&](const PlanAnswer& planned) {
        const PlanAnswer given = obeyed(planned);
        // Stops the watchdog first: there must never be two answers, or an answer that the report
        // contradicts.
        watchdog.over();
        return write_output("", with_report(given.text, given.report, arguments, profile));
    };
    const auto question = kept_question(arguments, options, profile, history);
    std::string why_anew;  // for a user with verbose
    std::optional<EarlierPlan> earlier;
    bool is_useless = false;  // the kept plan
    if (question) {
        const auto known = question->find();
        auto kept = known ? answer_of(known.value()) : std::nullopt;
        if (kept && question->is_served_by(known.value())) {
            const KeptPlan& plan = known.value();
            if (plan.launches_left > 0 && arguments.verbose)
                kept->text = with_line(
                    "this plan is not finished: the search goes on for later launches", kept->text);
            Status printed = print(*kept);
            if (plan.launches_left > 0 && leave_process_behind() == Process::left_behind)
                question->improve(plan);
            return printed;
        }
        if (known) earlier = placements_of_text(known.value().search);
        is_useless = known ? !kept : known.error().code != Errc::not_found;
        if (arguments.verbose) why_anew = why_not_kept(*question, known);
    }
    PlanWork work{.begin = [&] { return deadline; }, .history = &history};
    if (question) work.cut_short_at_ms = question->budget_ms();
    if (earlier) work.earlier = &*earlier;
    if (watchdog.expected()) {
        work.on_better = [&](const std::string& text, const auto& kept) {
            const std::string given = obeyed({text, {}}).text;
            watchdog.prepare(given);  // first, so that the rest cannot delay the answer
            if (auto file = question ? question->file_of(kept(), is_useless) : std::nullopt)
                watchdog.prepare(given, std::move(file));
        };
    }
    PlanAnswer worked = work_out(arguments, options, profile, work);
    if (!why_anew.empty()) worked.text = with_line(why_anew, worked.text);
    Status written = print(worked);
    if (question && worked.worth_keeping) question->keep_new(worked.kept);
    return written;
}

}  // namespace

void add_plan_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand(
        "plan", "what --commmap=auto would do for a job, as the plugin asks for it");
    add_job_arguments(*command, context, arguments->job);
    add_planner_options(*command, context);
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
