#include "spank_commmap/local_context.hpp"

#include <slurm/slurm.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#include "core/base/hostlist.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/installed_paths.hpp"
#include "spank_commmap/option_value.hpp"
#include "spank_commmap/plan_reply.hpp"
#include "spank_commmap/planner_process.hpp"
#include "spank_commmap/reexec.hpp"
#include "spank_commmap/say.hpp"
#include "spank_commmap/spank_api.hpp"
#include "spank_commmap/srun_args.hpp"
#include "spank_commmap/step_request.hpp"

// All four are in every srun; weak, so that a program that loads the plugin without them (a static
// slurmd) still can.
#pragma weak slurm_load_ctl_conf
#pragma weak slurm_free_ctl_conf
#pragma weak slurm_job_step_layout_get
#pragma weak slurm_job_step_layout_free

namespace commmap::spank {

struct LocalContext::State {
    Options options;
    std::optional<std::string> option_value;
    std::optional<Relaunch> relaunch;
    bool post_opt_done = false;
    std::vector<std::string> planned_hosts;  ///< by rank; only in a re-executed srun
};

namespace {

constexpr std::size_t most_hostfile_bytes = std::size_t{64} << 20;
constexpr std::size_t longest_slots = 64000;  // one word of a command line is at most 128 KiB

/// False when nobody said --commmap or COMMMAP: a site's default (plugstack mode=auto) is not worth
/// a line in every srun that it cannot help, unless verbose.
bool speaks = true;

void tell(const std::string& line) {
    if (speaks) say(line);
}

void decline(const std::string& reason) { tell(reason + "; launching as without commmap"); }

std::string working_directory() {
    const std::unique_ptr<char, FreeWith<std::free>> path(::getcwd(nullptr, 0));
    return path ? path.get() : "/";
}

/// MpiDefault of slurm.conf; empty when the controller does not say.
std::string default_mpi() {
    if (slurm_load_ctl_conf == nullptr || slurm_free_ctl_conf == nullptr) return "";
    slurm_conf_t* raw = nullptr;
    if (slurm_load_ctl_conf(0, &raw) != SLURM_SUCCESS || raw == nullptr) return "";
    const std::unique_ptr<slurm_conf_t, FreeWith<slurm_free_ctl_conf>> conf(raw);
    return conf->mpi_default == nullptr ? "" : conf->mpi_default;
}

std::string number_text(double number) {
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

std::vector<std::string> planner_command(const Options& options, const StepRequest& request,
                                         const std::string& command, const std::string& profiles) {
    std::vector<std::string> argv = {
        options.program.empty() ? installed_program() : options.program, "plan"};
    const auto add = [&](const char* name, std::string value) {
        argv.emplace_back(name);
        argv.push_back(std::move(value));
    };
    add("--command", command);
    add("--ntasks", std::to_string(request.num_tasks));
    add("--nodelist", request.nodelist);
    add("--cpus-per-node", request.cpus_per_node);
    add("--cluster", options.cluster_file);
    add("--profile-dir", profiles);
    add("--threshold", number_text(options.threshold_percent));
    add("--seed", std::to_string(options.seed));
    add("--rank0", options.rank0_free ? "free" : "first");
    if (options.verbose) argv.emplace_back("--verbose");
    return argv;
}

/// Plans and starts srun again. Returns when the launch stays as it is.
void plan_and_relaunch(const SrunArgs& args, const StepRequest& request, const Options& options) {
    const auto unknown_mpi = [](const std::string& mpi) {
        return !mpi.empty() && !mpi.starts_with("pmix");
    };
    if (unknown_mpi(request.mpi))
        return decline("--mpi=" + request.mpi + " is not handled yet, only pmix");

    const std::string here = working_directory();
    const std::string directory = request.directory.empty() ? here
                                  : request.directory.starts_with('/')
                                      ? request.directory
                                      : here + "/" + request.directory;
    const auto command =
        locate_command(request.command, directory, own_variable("PATH").value_or(""));
    if (!command) return decline(command.error().message);
    const auto profiles = profile_directory(options);
    if (!profiles) return decline(profiles.error().message);
    const PlannerLimits limits{.seconds = options.plan_seconds,
                               .memory_mib = options.plan_memory_mib};
    const std::vector<std::string> argv =
        planner_command(options, request, command.value(), profiles.value());
    const PlannerResult planned = run_planner(argv, limits);
    if (planned.end == PlannerResult::End::interrupted) {
        end_by_pending_signal();
        return;  // an interrupt: srun asks for a second one, as without commmap
    }
    if (planned.end == PlannerResult::End::failed)
        return decline("planning with '" + argv.front() + "' " + planned.reason);
    const auto reply = parse_plan_reply(planned.output);
    if (!reply) return decline(reply.error().message);
    for (const std::string& line : reply.value().lines) tell(line);
    if (reply.value().decision != PlanReply::Decision::apply) return;
    // Asks the controller: only now, when there is something to place.
    if (const std::string mpi = request.mpi.empty() ? default_mpi() : ""; unknown_mpi(mpi))
        return decline("--mpi=" + mpi + " (MpiDefault) is not handled yet, only pmix");
    const auto hosts = check_placement(reply.value(), request.nodes, request.num_tasks);
    if (!hosts) return decline(hosts.error().message);

    PlacedValue value{options.verbose,
                      request.bind ? reply.value().slots.text_of_used_nodes() : ""};
    if (value.slots.size() > longest_slots) {
        if (options.verbose)
            say("CPU binding is left to Slurm: the node patterns are too many to hand on");
        value.slots.clear();
    }
    std::string content;
    for (const std::string& host : hosts.value()) content += host + '\n';
    const auto file = hostfile_in_memory(content);
    if (!file) return decline(file.error().message);
    decline(relaunch(placed_command_line(args, request.num_tasks, format_placed_value(value)),
                     file.value())
                .message);
}

/// Hosts by rank, as Slurm laid the step out; empty when it does not say.
std::vector<std::string> slurm_layout(std::uint32_t job, std::uint32_t step) {
    if (slurm_job_step_layout_get == nullptr || slurm_job_step_layout_free == nullptr) return {};
    slurm_step_id_t id{};
    id.job_id = job;
    id.step_id = step;
    id.step_het_comp = NO_VAL;
    const std::unique_ptr<slurm_step_layout_t, FreeWith<slurm_job_step_layout_free>> layout(
        slurm_job_step_layout_get(&id));
    if (!layout || layout->node_list == nullptr) return {};
    const auto nodes = expand_hostlist(layout->node_list);
    if (!nodes || nodes.value().size() != layout->node_cnt) return {};
    std::vector<std::string> hosts(layout->task_cnt);
    for (std::uint32_t node = 0; node < layout->node_cnt; ++node) {
        for (std::uint32_t task = 0; task < layout->tasks[node]; ++task) {
            const std::uint32_t rank = layout->tids[node][task];
            if (rank < hosts.size()) hosts[rank] = nodes.value()[node];
        }
    }
    return hosts;
}

}  // namespace

LocalContext::State& LocalContext::state() {
    static State the_state;
    return the_state;
}

void LocalContext::init(int argc, char** argv) {
    State& now = state();
    now.relaunch = Relaunch::of_this_process();
    for (const Error& error :
         read_plugstack_arguments(now.options, plugstack_arguments(argc, argv))) {
        if (!now.relaunch) say(error.message);
    }
    for (const Error& error : read_environment(now.options)) {
        if (!now.relaunch) say(error.message);
    }
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
    now.option_value = value;
    return Ok{};
}

Status LocalContext::post_opt() {
    State& now = state();
    if (now.post_opt_done) return Ok{};  // once for each part of a heterogeneous step
    now.post_opt_done = true;
    if (now.relaunch) {
        // srun has read the host file by now; neither tasks nor a nested srun may see it.
        auto content = read_file("/proc/self/fd/" + std::to_string(now.relaunch->hostfile_fd),
                                 most_hostfile_bytes);
        ::close(now.relaunch->hostfile_fd);
        ::unsetenv("SLURM_HOSTFILE");
        ::unsetenv(Relaunch::variable);
        if (!content) return content.error();
        for (std::size_t begin = 0; begin < content.value().size();) {
            const std::size_t end =
                std::min(content.value().find('\n', begin), content.value().size());
            now.planned_hosts.push_back(content.value().substr(begin, end - begin));
            begin = end + 1;
        }
        return Ok{};
    }
    if (now.option_value) {
        if (Status status = set_mode(now.options, *now.option_value); !status) return status;
    }
    if (now.options.mode != Mode::automatic) return Ok{};
    speaks = now.option_value || now.options.verbose || own_variable("COMMMAP");
    if (inside_a_step(own_variable)) {
        // The variable COMMMAP is meant for the launches of the job, not for those inside its
        // tasks: say nothing then.
        if (now.option_value || now.options.verbose) decline("srun inside a step is left alone");
        return Ok{};
    }
    const auto argv = read_own_command_line();
    if (!argv) return argv.error();
    const auto args = parse_srun_args(argv.value());
    if (!args) {
        decline(args.error().message);
        return Ok{};
    }
    const StepDecision decision = read_step_request(args.value(), own_variable);
    if (decision.request) {
        plan_and_relaunch(args.value(), *decision.request, now.options);
    } else if (!decision.reason.empty()) {
        decline(decision.reason);
    }
    return Ok{};
}

Status LocalContext::user_init(spank_t spank) {
    const State& now = state();
    if (now.planned_hosts.empty()) return Ok{};
    const auto job = number_item(spank, S_JOB_ID);
    const auto step = number_item(spank, S_JOB_STEPID);
    if (!job || !step) return Ok{};
    const std::vector<std::string> hosts = slurm_layout(*job, *step);
    if (!hosts.empty() && hosts != now.planned_hosts)
        say("warning: Slurm did not place the tasks as planned");
    return Ok{};
}

}  // namespace commmap::spank
