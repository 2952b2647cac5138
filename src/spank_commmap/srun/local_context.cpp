#include "spank_commmap/srun/local_context.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "core/config/mode.hpp"
#include "core/config/sources.hpp"
#include "core/history/clock_file.hpp"
#include "core/history/inbox.hpp"
#include "core/profile/store/unfinished_path.hpp"
#include "core/text/slurm_counts.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/process/aside.hpp"
#include "spank_commmap/process/guard.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/process/process_state.hpp"
#include "spank_commmap/slurm/say.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/known_profiles.hpp"
#include "spank_commmap/srun/placed_launch.hpp"
#include "spank_commmap/srun/relaunch/reexec.hpp"
#include "spank_commmap/srun/relaunch/shepherd.hpp"
#include "spank_commmap/srun/request/step_request.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"
#include "spank_commmap/srun/run_watch.hpp"

namespace commmap::spank {

struct LocalContext::State {
    Options options;
    std::optional<std::string> option_value;
    std::optional<ProcessState> at_start;
    std::optional<Result<SrunArgs>> args;  ///< this srun's command line
    std::optional<Relaunch> relaunch;
    bool post_opt_done = false;
    /// srun makes its allocation itself and its step may be planned: set in init
    bool standalone = false;
    bool overlap_is_ours = false;
    bool makes_job = false;  ///< no allocation was there at the start
    /// Why the order is left to Slurm while the CPUs may be planned, once the step exists; empty:
    /// the user wants it so (keep=order).
    std::optional<std::string> order_left;
    std::vector<std::string> planned_hosts;  ///< by rank; only in a re-executed srun
    // from user_init on
    std::uint32_t job = 0;
    std::uint32_t step = 0;
    std::optional<StepLayout> layout;  ///< as Slurm tells it; asked for once
    // of the record of the run
    RunWatch run;
    std::string clock_file;  ///< of rank 0's time; empty: none is wanted
    bool tells_outcome = false;
    // the same, before srun writes its own into the environment
    std::uint32_t cpus_per_task = 1;
    bool inside_step = false;
    /// The user leaves order and CPUs to Slurm, or to commmap. Not looked at with auto.
    bool by_slurm = false;
};

namespace {

constexpr std::size_t most_hostfile_bytes = std::size_t{64} << 20;
constexpr const char* overlap_variable = "SLURM_OVERLAP";
/// srun leaves it as it is when it is there already: another job's, then.
constexpr const char* job_cpus_variable = "SLURM_JOB_CPUS_PER_NODE";

/// False when nobody said --commmap or COMMMAP: a site's default (plugstack mode=auto) is not worth
/// a line in every srun that it cannot help, unless verbose.
bool speaks = true;

/// Nothing is launched: no line may say that something is.
bool plans_only = false;

ReportRequest report;

SlurmLibrary slurm;

void tell(const std::string& line) {
    const std::string tail = left_alone("");
    const bool cut = plans_only && line.ends_with(tail);
    if (speaks) say(cut ? line.substr(0, line.size() - tail.size()) : line);
}

void decline(const std::string& reason) {
    report.note_declined(reason);
    tell(left_alone(reason));
}

/// The report's last part, from the program that writes it.
void complete_report(const std::string& step, const StepLayout* layout) {
    if (const std::string failed = report.complete(step, layout); !failed.empty()) say(failed);
}

ReportRequest report_in(std::string file, const Options& options) {
    return {std::move(file), program_of(options), options};
}

/// Interrupts wait for srun, which is not going to see them.
bool interrupt_waits() {
    sigset_t pending;
    ::sigpending(&pending);
    return EndingSignals::interrupted() || ::sigismember(&pending, SIGINT) == 1;
}

/// The job that this process made, for its exit handler. The plugin stays loaded until then (-z
/// nodelete).
struct JobToEnd {
    OwnJob own;
    pid_t process = 0;
};
JobToEnd job_to_end;

/// The same for the record of its run.
struct RunToRecord {
    pid_t process = 0;
    std::optional<int> status;  ///< srun's exit code, once it is known
};
RunToRecord run_to_record;

void report_nothing(const std::string& /*text*/) {}

/// A job may end with its last srun, and what runs aside with the job.
constexpr std::chrono::milliseconds longest_for_record{100};
/// A home directory may be one that does not answer.
constexpr std::chrono::milliseconds longest_for_directory{1000};

/// Ends the job as srun would have ended it, with the same state in accounting. The first srun's
/// shepherd would do it too, but as if the user had cancelled it. An exit code from 129 to 159
/// stands for a signal here: what it was is no longer known.
void end_own_job(int status, void* /*unused*/) {
    if (job_to_end.process != ::getpid()) return;  // a child that srun forked
    const auto code = static_cast<std::uint32_t>(status) & 0xffU;
    // Interrupted twice: srun too ends its job as cancelled then, and so does the shepherd.
    if (code == 128 + SIGINT) return;
    const bool by_signal = code > 128 && code <= 128 + SIGSYS;
    if (complete_job(job_to_end.own.job, by_signal ? code - 128 : code << 8))
        dismiss_shepherd(job_to_end.own.shepherd);
}

/// What srun's epilog sees, and, for what is set here, the tasks too: what they would see without
/// commmap. srun takes cyclic for at most one task a node, else block (launch.c).
void show_plain_environment(bool own_job, std::size_t num_tasks, std::size_t num_nodes) {
    ::unsetenv(own_job_variable);
    if (own_job) {
        for (const char* name : variables_of_job) ::unsetenv(name);
    } else {
        ::setenv("SLURM_DISTRIBUTION", num_tasks <= num_nodes ? "cyclic" : "block", 1);
    }
}

/// srun's own --commmap, then COMMMAP, then what salloc or sbatch hand on: the option's value is of
/// the last kind when srun's command line has none. The tasks, which get the option too, are told.
bool environment_wins(const Result<SrunArgs>& args) {
    const auto variable = own_variable("COMMMAP");
    Options scratch;
    if (!variable || variable->empty() || !set_mode(scratch, *variable, scope_environment))
        return false;
    if (!args || args.value().has("commmap")) return false;
    ::setenv(mode_variable, variable->c_str(), 1);
    return true;
}

/// Of COMMMAP; a value that makes no sense says nothing.
bool variable_says_off() {
    Options scratch;
    scratch.mode = Mode::automatic;
    const auto variable = own_variable("COMMMAP");
    return variable && set_mode(scratch, *variable, scope_environment) && scratch.mode == Mode::off;
}

Result<SrunArgs> read_srun_args() {
    const auto argv = read_own_command_line();
    if (!argv) return argv.error();
    return parse_srun_args(argv.value());
}

/// Why a srun outside an allocation is not planned; empty: it may be. A user for whom nothing at
/// all is recorded has nothing of a launch touched.
Refusal standalone_refusal(const SrunArgs& args, const Options& options) {
    Refusal by_choice = reason_to_leave(args, own_variable, Where::standalone);
    if (!by_choice.reason.empty() && !by_choice.order_only) return by_choice;
    if (own_variable(job_cpus_variable))
        return {std::string(job_cpus_variable) + " is there without a job"};
    const auto directory = profile_directory(options);
    if (!directory) return {directory.error().message};
    // The site's directory is the planner's to look into, which has a time limit.
    if (!options.site_profiles.empty()) return by_choice;
    // The first answer counts: two hooks before the launch ask for it.
    static std::optional<std::pair<std::string, std::optional<bool>>> answer;
    if (!answer || answer->first != directory.value())
        answer = {directory.value(), ask_aside(longest_for_directory,
                                               [&] { return has_profiles(directory.value()); })};
    const std::optional<bool>& found = answer->second;
    if (!found) return {"'" + directory.value() + "' did not answer in time"};
    if (*found) return by_choice;
    return {"no profile in '" + directory.value() + "' (--commmap=profile records one)"};
}

/// Where the report goes, as far as is known by now; `job` may be empty.
void set_up_report(const Options& options, const SrunArgs* args, const std::string& job) {
    if (options.report.empty()) return;
    report = report_in(report_path(options.report, working_directory(), job), options);
    if (args != nullptr && !args->command.empty())
        report.note_command(planned_words(args->command).front());
}

/// A launch that is not planned; without a reason there is nothing to gain.
void leave(const StepDecision& decision, const SrunArgs& args, const Options& options) {
    if (!decision.reason.empty()) return decline(decision.reason);
    if (!launches(args)) return;
    report.note_declined("one task: nothing to place");
    if (options.verbose) tell("one task: nothing to place");
}

/// The nodes of a srun's own allocation are not known before it has them, and the next srun may get
/// others: a plan for them would cost an allocation and say nothing about the launch to come.
[[noreturn]] void refuse_dry_run() {
    say("a dry run needs nodes to plan for: run it in an allocation (salloc), or give "
        "'commmap map --command PROGRAM --ntasks N --nodelist LIST' some; nothing is launched");
    std::exit(1);
}

/// Against the directory that srun was started in.
std::string absolute(const std::string& directory) {
    return directory.starts_with('/') ? directory : working_directory() + "/" + directory;
}

}  // namespace

LocalContext::State& LocalContext::state() {
    static State the_state;
    return the_state;
}

void LocalContext::init(int argc, char** argv) {
    State& now = state();
    now.at_start = ProcessState::now();
    now.args = read_srun_args();
    now.inside_step = inside_a_step(own_variable);
    now.makes_job = !own_variable("SLURM_JOB_ID") && !own_variable("SLURM_JOBID");
    now.relaunch = Relaunch::of_this_process();
    for (const char* name : {placed_variable, clock_variable})
        ::unsetenv(name);  // of a srun whose epilog this is
    for (const Error& error :
         read_plugstack_arguments(now.options, plugstack_arguments(argc, argv))) {
        if (!now.relaunch) say(error.message);
    }
    for (const Error& error : read_environment(now.options)) {
        if (!now.relaunch) say(error.message);
    }
    if (!now.relaunch && !now.options.disabled) prepare_standalone();
}

/// A standalone srun learns its layout from the step that it makes, and is then started again in
/// the same allocation. That first step must hold nothing: it is an overlapping one, which srun
/// reads from its environment right after this hook, long before the options.
void LocalContext::prepare_standalone() {
    State& now = state();
    if (!now.makes_job || !*now.args) return;
    const SrunArgs& args = now.args->value();
    Options wanted = now.options;
    if (const auto value = args.value_of("commmap"); value) {
        if (!set_mode(wanted, *value)) return;
    }
    if (wanted.mode != Mode::automatic || !launches(args) || wanted.keep == Keep::order ||
        !standalone_refusal(args, wanted).reason.empty())
        return;
    now.standalone = true;
    if (own_variable(overlap_variable)) return;
    now.overlap_is_ours = true;
    ::setenv(overlap_variable, "1", 1);
}

Status LocalContext::option(const std::string& value) {
    State& now = state();
    if (is_placed_value(value) && now.relaunch) {
        now.option_value = value;
        return Ok{};
    }
    Options scratch;
    if (const Status status = set_mode(scratch, value); !status)
        return prefixed("--commmap", status.error());
    if (scratch.help) {
        // As srun --mpi=list: srun, salloc and sbatch have made nothing by now.
        std::fputs(mode_help().c_str(), stdout);
        std::exit(std::fflush(stdout) == 0 ? 0 : 1);
    }
    now.option_value = value;
    return Ok{};
}

/// In the second srun: reads and forgets what the first one left for it.
Status LocalContext::take_over() {
    State& now = state();
    // srun has read the host file by now; neither tasks nor a nested srun may see it.
    auto content = read_file("/proc/self/fd/" + std::to_string(now.relaunch->hostfile_fd),
                             most_hostfile_bytes);
    ::close(now.relaunch->hostfile_fd);
    ::unsetenv("SLURM_HOSTFILE");
    ::unsetenv(Relaunch::variable);
    put_back_variables();
    if (const auto record = own_variable(RunWatch::variable); record) {
        now.run.note_plan(*record);
        const auto value = parse_placed_value(now.option_value.value_or(""));
        now.tells_outcome = value.ok() && value.value().verbose;
        ::unsetenv(RunWatch::variable);
    }
    if (const auto file = own_variable(ReportRequest::variable); file) {
        report = report_in(*file, now.options);
        report.note_written();
        ::unsetenv(ReportRequest::variable);
    }
    if (now.relaunch->own_job) {
        job_to_end = {*now.relaunch->own_job, ::getpid()};
        ::on_exit(end_own_job, nullptr);
    }
    if (!content) return content.error();
    for (std::size_t begin = 0; begin < content.value().size();) {
        const std::size_t end = std::min(content.value().find('\n', begin), content.value().size());
        now.planned_hosts.push_back(content.value().substr(begin, end - begin));
        begin = end + 1;
    }
    return Ok{};
}

Status LocalContext::post_opt() {
    State& now = state();
    if (now.post_opt_done) return Ok{};  // once for each part of a heterogeneous step
    now.post_opt_done = true;
    if (now.overlap_is_ours) ::unsetenv(overlap_variable);
    Status taken_over = now.relaunch ? take_over() : Status(Ok{});
    if (*now.args)
        now.cpus_per_task = cpus_per_task(now.args->value(), own_variable, own_rules()).value_or(1);
    if (now.relaunch) return taken_over;
    if (now.option_value && !environment_wins(*now.args)) {
        if (Status status = set_mode(now.options, *now.option_value); !status) return status;
    }
    speaks = now.option_value || now.options.verbose || own_variable("COMMMAP");
    now.tells_outcome = now.options.verbose && now.options.mode == Mode::automatic;
    plans_only = now.options.dry_run;
    if (now.options.disabled && now.options.mode != Mode::off) {
        decline("switched off on this cluster by its admin");
        if (plans_only) end_dry_run();
        return Ok{};
    }
    if (now.options.mode != Mode::automatic) {
        const Where where = now.makes_job ? Where::standalone : Where::allocation;
        now.by_slurm = *now.args &&
                       reason_to_leave(now.args->value(), own_variable, where).reason.empty() &&
                       reason_not_to_bind(now.args->value(), own_variable).empty();
        return Ok{};
    }
    if (!plans_only) {
        look_at_launch();
        return Ok{};
    }
    if (*now.args && !launches(now.args->value())) return Ok{};
    // Whatever happens, nothing may be launched.
    spank_guard("dry run", say, []() -> Status {
        look_at_launch();
        return Ok{};
    });
    end_dry_run();
}

void LocalContext::end_dry_run() {
    complete_report("", nullptr);
    say("dry run: nothing is launched");
    std::exit(interrupt_waits() ? 128 + SIGINT : 0);
}

/// What can be known and decided before there is a step.
void LocalContext::look_at_launch() {
    State& now = state();
    if (inside_a_step(own_variable)) {
        // The variable COMMMAP is meant for the launches of the job, not for those inside its
        // tasks: say nothing then.
        now.standalone = false;
        if (now.option_value || now.options.verbose) decline("srun inside a step is left alone");
        return;
    }
    const auto job = own_variable("SLURM_JOB_ID");
    set_up_report(now.options, now.args->ok() ? &now.args->value() : nullptr, job.value_or(""));
    if (now.standalone && !plans_only) return;  // planned once its layout is known
    if (!*now.args) return decline(now.args->error().message);
    const SrunArgs& args = now.args->value();
    if (!job) {
        if (!launches(args)) return;
        const Refusal refusal = standalone_refusal(args, now.options);
        if (plans_only && refusal.reason.empty()) refuse_dry_run();
        return leave_order(refusal);
    }
    if (now.options.keep == Keep::order && !plans_only && launches(args)) {
        const Refusal refusal = reason_to_leave(args, own_variable, Where::allocation);
        return leave_order(refusal.order_only ? Refusal{} : refusal);
    }
    const StepDecision decision = read_step_request(args, own_variable, own_rules());
    if (decision.request) {
        std::optional<EndingSignals> taken;
        if (own_rules().signals_taken_by_threads) {
            await_handlers(std::chrono::milliseconds(200));
            taken.emplace(now.at_start->terminal());
        }
        plan_and_relaunch({slurm, args, now.options, *now.at_start, std::nullopt,
                           taken ? &*taken : nullptr, tell, report, now.run},
                          *decision.request);
    } else if (decision.order_only) {
        leave_order({decision.reason, true});
    } else {
        leave(decision, args, now.options);
    }
}

/// The order is Slurm's; what is left to do waits for the step.
void LocalContext::leave_order(const Refusal& refusal) {
    const bool all = !refusal.reason.empty() && !refusal.order_only;
    if (all || plans_only) return decline(refusal.reason);
    state().order_left = refusal.reason;
}

/// Once the step exists and Slurm has told how it is laid out, in any order.
void LocalContext::bind_only() {
    State& now = state();
    const std::string& why = *now.order_left;
    const auto leave_all = [&](const std::string& reason) {
        if (const std::string& told = why.empty() ? reason : why; !told.empty()) decline(told);
    };
    if (::gettid() != ::getpid()) return leave_all("srun launches from another thread");
    const StepLayout* const found = layout();
    if (found == nullptr) return leave_all("Slurm does not say how it laid the step out");
    const SrunArgs& args = now.args->value();
    const StepDecision decision = request_of_layout(args, own_variable, *found, own_rules());
    if (!decision.request) return leave_all(decision.reason);
    if (!decision.request->binding_left_to.empty())
        return leave_all("order and CPU binding (" + decision.request->binding_left_to +
                         ") are the user's");
    Options options = now.options;
    options.keep = Keep::order;
    // In an allocation a srun that ends here leaves its step behind, running as far as slurmctld
    // knows: signals are srun's own thread's there, as without commmap.
    std::optional<EndingSignals> taken;
    if (now.makes_job) taken.emplace(now.at_start->terminal());
    const Binding binding = plan_and_bind({slurm, args, options, *now.at_start, std::nullopt,
                                           taken ? &*taken : nullptr, tell, report, now.run},
                                          *decision.request);
    if (why.empty() || binding == Binding::declined) return;
    if (binding == Binding::kept) {
        if (report.written()) report.note_declined(why);  // else that has failed, and was told
        return tell(left_alone(why));
    }
    tell(why + ": the order stays, only CPUs are bound");
}

void LocalContext::plan_standalone() {
    State& now = state();
    if (now.step != 0 || own_variable("SLURM_JOB_ID") != std::to_string(now.job))
        return decline("this is not the first step of srun's own job");
    // Signals are taken in this thread, which the kernel prefers only when it is the main one.
    if (::gettid() != ::getpid()) return decline("srun launches from another thread");
    const EndingSignals taken(now.at_start->terminal());
    // Without the pipe it would take the job back as soon as srun is started again.
    const auto shepherd = shepherd_pipe();
    if (!shepherd) return decline("srun's clean-up process is not found");
    const StepLayout* const found = layout();
    if (found == nullptr) return decline("Slurm does not say how it laid the step out");
    const SrunArgs& args = now.args->value();
    const StepDecision decision = request_of_layout(args, own_variable, *found, own_rules());
    if (decision.request) {
        plan_and_relaunch({slurm, args, now.options, *now.at_start, OwnJob{now.job, *shepherd},
                           &taken, tell, report, now.run},
                          *decision.request);
    } else {
        leave(decision, args, now.options);
    }
}

const StepLayout* LocalContext::layout() {
    State& now = state();
    if (!now.layout) now.layout = step_layout(now.job, now.step);
    return now.layout ? &*now.layout : nullptr;
}

Status LocalContext::user_init(spank_t spank) {
    State& now = state();
    const auto job = number_item(spank, S_JOB_ID);
    const auto step = number_item(spank, S_JOB_STEPID);
    if (!job || !step) return Ok{};
    now.job = *job;
    now.step = *step;
    if (now.makes_job && report.wanted())  // its number was not known before
        report.set_file(report_path(now.options.report, working_directory(), std::to_string(*job)));
    if (now.standalone && now.options.mode == Mode::automatic) {
        plan_standalone();
    } else if (now.order_left) {
        bind_only();
    }
    if (!now.planned_hosts.empty()) compare_with_plan();
    if (report.wanted())
        complete_report(std::to_string(*job) + "." + std::to_string(*step), layout());
    watch_run();
    return Ok{};
}

/// Rank 0's task loads the library that reads the clock, and gets to know where the time goes.
void LocalContext::hand_clock_over() {
    State& now = state();
    const auto profiles = profile_directory(now.options);
    if (!profiles) return;
    now.clock_file = new_clock_file(absolute(profiles.value()), now.job, now.step);
    ::setenv(clock_variable, now.clock_file.c_str(), 1);
}

/// The last thing before tasks start. Nothing is asked of anybody here: what the record needs is
/// in the environment once the tasks run.
void LocalContext::watch_run() {
    State& now = state();
    if (!*now.args || now.args->value().command.empty() || own_variable("SLURM_HET_SIZE")) return;
    // then the environment says nothing about this step
    if (now.args->value().has("preserve-env") || own_variable("SLURM_PRESERVE_ENV")) return;
    const Options& options = now.options;
    const bool is_profiled = options.mode == Mode::profile;
    const bool is_counted = options.mode == Mode::off && options.count_off && !options.disabled &&
                            (now.option_value || variable_says_off());
    const bool is_unplanned =
        (is_profiled || is_counted) && now.by_slurm && !now.relaunch && !now.inside_step;
    if (is_unplanned) {
        const std::string program = planned_words(now.args->value().command).front();
        now.run.note_unplanned(is_profiled ? LaunchedAs::profiled : LaunchedAs::off,
                               program.substr(program.rfind('/') + 1));
    }
    if (!now.run.wanted()) return;
    // a profile has the time, and off loads nothing
    if (options.history_clock == RunClock::mpi && !is_unplanned) hand_clock_over();
    now.run.begin(now.job, now.step);
    run_to_record.process = ::getpid();
    ::on_exit(note_status, nullptr);
}

/// An exit handler, for only there it is known how the step ended. srun 22.05 calls the exit hook
/// in an exit handler of its own, after this one; the other order is good, too.
void LocalContext::note_status(int status, void* /*unused*/) {
    if (run_to_record.process != ::getpid()) return;  // a child that srun forked
    run_to_record.status = status;
    const bool hook_was_there = state().run.ended();
    state().run.end();
    if (hook_was_there) leave_record();
}

/// False: a run of a program without a profile, which may not even be an MPI program. Names the
/// program of a run with --commmap=off.
bool LocalContext::may_be_compared(RunRecord& record, const std::string& profiles) {
    const State& now = state();
    if (record.run.launched_as == LaunchedAs::profiled)
        return has_profile_of_step(profiles, now.job, now.step);
    if (record.run.launched_as != LaunchedAs::off) return true;
    // commmap is not asked where it cannot know the program
    if (record.num_ranks < 2 || (now.options.site_profiles.empty() && !has_profiles(profiles)))
        return false;
    const SrunArgs& args = now.args->value();
    const auto command = locate(planned_words(args.command), args.value_of("chdir").value_or(""),
                                working_directory(), own_variable("PATH").value_or(""));
    if (!command) return false;
    record.application_id = identity_with_profile(command.value(), program_of(now.options),
                                                  now.options, profiles, record.num_ranks);
    return !record.application_id.empty();
}

/// Where no record has taken it.
void LocalContext::forget_time() {
    const std::string file = std::exchange(state().clock_file, std::string());
    if (file.empty()) return;
    spank_guard("record", report_nothing, [&]() -> Status {
        do_aside(longest_for_record, [&] { static_cast<void>(take_clock_file(file, 0.0)); });
        return Ok{};
    });
}

/// A record that cannot be written is missing, and nobody needs a line about that.
void LocalContext::leave_record() {
    if (!run_to_record.status || run_to_record.process != ::getpid()) return;
    if (*run_to_record.status == 0) spank_guard("record", report_nothing, put_record);
    forget_time();
}

Status LocalContext::put_record() {
    State& now = state();
    const auto tasks = parse_slurm_counts(own_variable("SLURM_TASKS_PER_NODE").value_or(""));
    if (!tasks) return Ok{};
    auto record = now.run.record({tasks.value(), now.cpus_per_task,
                                  planned_words(now.args->value().command), now.options.tag});
    if (!record) return Ok{};
    const auto profiles = profile_directory(now.options);
    if (!profiles) return Ok{};
    if (now.tells_outcome) say(outcome_text(*record));
    // aside, for the directory may be one that does not answer
    do_aside(longest_for_record, [&] {
        record->clock = now.options.history_clock;
        if (!now.clock_file.empty())
            record->mpi_s = take_clock_file(now.clock_file, record->run.wall_s).value_or(0.0);
        if (!may_be_compared(*record, profiles.value())) return;
        static_cast<void>(RunInbox(profiles.value(), now.options.profile_readers).put(*record));
    });
    now.clock_file.clear();  // taken
    return Ok{};
}

Status LocalContext::exit() {
    state().run.end();
    Status collected = collect_profile();
    leave_record();
    return collected;
}

Status LocalContext::collect_profile() {
    const State& now = state();
    if (now.options.mode != Mode::profile || now.job == 0) return Ok{};
    const auto directory = profile_directory(now.options);
    if (!directory) return Ok{};
    const std::string profiles = absolute(directory.value());
    const std::string parts = unfinished_path(profiles, now.job, now.step);
    const auto left =
        ask_aside(longest_for_directory, [&] { return ::access(parts.c_str(), F_OK) == 0; });
    if (!left) {
        say("no profile of this run yet: '" + profiles + "' did not answer in time");
        return Ok{};
    }
    if (!*left) {
        const auto has_profile = [&] { return has_profile_of_step(profiles, now.job, now.step); };
        if (!now.options.verbose) return Ok{};
        const auto saved = ask_aside(longest_for_directory, has_profile);
        if (!saved) return Ok{};
        if (!*saved) {
            say("no profile of this run in '" + profiles +
                "': unless a line above says why, no rank came to an MPI_Init that the recorder "
                "saw, or the tasks have another directory for profiles");
            return Ok{};
        }
        // what follows finds the profile, and tells of it
    }
    constexpr std::uint64_t collect_seconds = 30;
    constexpr std::uint64_t collect_memory_mib = 512;  // on a login node that others use too
    const std::string step = std::to_string(now.job) + "." + std::to_string(now.step);
    const ProgramResult done = run_limited(
        {program_of(now.options), "profile", "collect", "--profile-dir", profiles,
         "--profile-readers", std::string(readers_name(now.options.profile_readers)), step},
        {.seconds = collect_seconds, .memory_mib = collect_memory_mib});
    if (done.end != ProgramResult::End::answered) {
        const std::string why = done.reason.empty() ? "interrupted" : done.reason;
        say("no profile of this run: " + why + "; try 'commmap profile collect " + step + "'");
        return Ok{};
    }
    // A complete one is what the user expects.
    const bool partial = done.output.starts_with("partial");
    if (!done.output.empty() && (partial || now.options.verbose))
        say(done.output.substr(0, done.output.find('\n')));
    return Ok{};
}

void LocalContext::compare_with_plan() {
    const State& now = state();
    std::set<std::string_view> used(now.planned_hosts.begin(), now.planned_hosts.end());
    show_plain_environment(now.relaunch && now.relaunch->own_job, now.planned_hosts.size(),
                           used.size());
    const StepLayout* const found = layout();
    if (found == nullptr) return;
    std::vector<std::string> hosts;
    for (const std::uint32_t node : found->node_of_rank) hosts.push_back(found->nodes[node]);
    if (hosts != now.planned_hosts) say("warning: Slurm did not place the tasks as planned");
}

}  // namespace commmap::spank
