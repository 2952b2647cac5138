#include "spank_commmap/step_request.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/hostlist.hpp"
#include "spank_commmap/slots.hpp"

namespace commmap::spank {
namespace {

struct Refusal {
    std::string_view option;
    std::string_view reason;
};

/// Options under which the layout is not ours to change, or not known well enough.
constexpr std::array refusals = std::to_array<Refusal>({
    {"multi-prog", "--multi-prog launches several programs"},
    {"no-allocate", "--no-allocate launches outside Slurm's bookkeeping"},
    {"jobid", "--jobid names another job"},
    {"het-group", "--het-group is a heterogeneous job"},
    {"pack-group", "--pack-group is a heterogeneous job"},
    {"clusters", "--clusters names another cluster"},
    {"relative", "--relative chooses the nodes"},
    {"nodelist", "--nodelist chooses the nodes"},
    {"nodefile", "--nodefile chooses the nodes"},
    {"exclude", "--exclude chooses the nodes"},
    {"constraint", "--constraint chooses the nodes"},
    {"distribution", "--distribution chooses the placement"},
    {"overcommit", "--overcommit shares CPUs between tasks"},
    {"ntasks-per-core", "--ntasks-per-core is not handled yet"},
    {"ntasks-per-socket", "--ntasks-per-socket is not handled yet"},
    {"ntasks-per-gpu", "--ntasks-per-gpu is not handled yet"},
    {"ntasks-per-tres", "--ntasks-per-tres is not handled yet"},
    {"extra-node-info", "--extra-node-info is not handled yet"},
    {"sockets-per-node", "--sockets-per-node is not handled yet"},
    {"cores-per-socket", "--cores-per-socket is not handled yet"},
    {"threads-per-core", "--threads-per-core is not handled yet"},
    {"hint", "--hint is not handled yet"},
    {"core-spec", "--core-spec is not handled yet"},
    {"thread-spec", "--thread-spec is not handled yet"},
    {"interactive", "--interactive is a shell"},
    {"cluster", "--cluster names another cluster"},
    {"exact", "--exact runs steps beside each other"},
    {"exclusive", "--exclusive runs steps beside each other"},
    {"overlap", "--overlap runs steps beside each other"},
    {"spread-job", "--spread-job chooses the nodes"},
    {"use-min-nodes", "--use-min-nodes chooses the nodes"},
    {"container", "--container is not handled yet"},
    {"cpus-per-gpu", "--cpus-per-gpu is not handled yet"},
    {"gpus", "--gpus is not handled yet"},
    {"gpus-per-node", "--gpus-per-node is not handled yet"},
    {"gpus-per-socket", "--gpus-per-socket is not handled yet"},
    {"gpus-per-task", "--gpus-per-task is not handled yet"},
    {"tres-per-task", "--tres-per-task is not handled yet"},
    {"external-launcher", "--external-launcher starts another launcher"},
});

/// Environment variables that srun reads as one of the options above.
constexpr std::array variable_refusals = std::to_array<Refusal>({
    {"SLURM_HOSTFILE", "SLURM_HOSTFILE chooses the placement"},
    {"SLURM_DISTRIBUTION", "SLURM_DISTRIBUTION chooses the placement"},
    {"SLURM_SRUN_MULTI", "SLURM_SRUN_MULTI launches several programs"},
    {"SLURM_OVERCOMMIT", "SLURM_OVERCOMMIT shares CPUs between tasks"},
    {"SLURM_CLUSTERS", "SLURM_CLUSTERS names another cluster"},
    {"SLURM_HET_SIZE", "the job is heterogeneous"},
    {"SLURM_NTASKS_PER_GPU", "SLURM_NTASKS_PER_GPU is not handled yet"},
    {"SLURM_NTASKS_PER_TRES", "SLURM_NTASKS_PER_TRES is not handled yet"},
    {"SLURM_THREADS_PER_CORE", "SLURM_THREADS_PER_CORE is not handled yet"},
    {"SLURM_HINT", "SLURM_HINT is not handled yet"},
    {"SLURM_CORE_SPEC", "SLURM_CORE_SPEC is not handled yet"},
    {"SLURM_THREAD_SPEC", "SLURM_THREAD_SPEC is not handled yet"},
    {"SLURM_CONSTRAINT", "SLURM_CONSTRAINT chooses the nodes"},
    {"SLURM_EXACT", "SLURM_EXACT runs steps beside each other"},
    {"SLURM_EXCLUSIVE", "SLURM_EXCLUSIVE runs steps beside each other"},
    {"SLURM_OVERLAP", "SLURM_OVERLAP runs steps beside each other"},
    {"SLURM_SPREAD_JOB", "SLURM_SPREAD_JOB chooses the nodes"},
    {"SLURM_USE_MIN_NODES", "SLURM_USE_MIN_NODES chooses the nodes"},
    {"SLURM_CONTAINER", "SLURM_CONTAINER is not handled yet"},
    {"SLURM_CPUS_PER_GPU", "SLURM_CPUS_PER_GPU is not handled yet"},
    {"SLURM_GPUS", "SLURM_GPUS is not handled yet"},
    {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_NODE is not handled yet"},
    {"SLURM_GPUS_PER_SOCKET", "SLURM_GPUS_PER_SOCKET is not handled yet"},
    {"SLURM_GPUS_PER_TASK", "SLURM_GPUS_PER_TASK is not handled yet"},
    {"SLURM_TRES_PER_TASK", "SLURM_TRES_PER_TASK is not handled yet"},
});

StepDecision leave(std::string reason) { return {std::nullopt, std::move(reason)}; }

/// A positive number of tasks, nodes or CPUs.
std::optional<std::size_t> count_of(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    const auto number = parse_number(*text);
    if (!number || *number == 0 || *number > (std::size_t{1} << 22)) return std::nullopt;
    return static_cast<std::size_t>(*number);
}

/// "8", "8-8", "2-8": the least and the most.
bool means_all_nodes(const std::string& text, std::size_t num_nodes) {
    const auto dash = text.find('-');
    const auto least = parse_number(std::string_view(text).substr(0, dash));
    const auto most =
        dash == std::string::npos ? least : parse_number(std::string_view(text).substr(dash + 1));
    return least && most && *least == num_nodes && *most >= num_nodes;
}

/// --cpu-bind values that leave it to Slurm which CPU a task gets; every other one is a choice of
/// the user's.
bool leaves_binding_open(std::string_view value) {
    constexpr std::array<std::string_view, 8> open = {"",      "v",    "verbose", "q",
                                                      "quiet", "core", "cores",   "threads"};
    for (;;) {
        const auto comma = value.find(',');
        if (std::find(open.begin(), open.end(), value.substr(0, comma)) == open.end()) return false;
        if (comma == std::string_view::npos) return true;
        value.remove_prefix(comma + 1);
    }
}

bool user_binds(const SrunArgs& args, const Environment& environment) {
    for (const std::string_view option : {"cpu-bind", "cpu_bind"}) {
        if (const auto value = args.value_of(option); value) return !leaves_binding_open(*value);
    }
    return !leaves_binding_open(environment("SLURM_CPU_BIND").value_or(""));
}

/// Why the number of CPUs of a task is not one, or empty.
std::string more_than_one_cpu(const SrunArgs& args, const Environment& environment) {
    if (const auto option = args.value_of("cpus-per-task"); option) {
        return *option == "1" ? "" : "--cpus-per-task=" + *option + " is not handled yet";
    }
    for (const std::string_view name : {"SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK"}) {
        const auto value = environment(name);
        if (value && *value != "1") return std::string(name) + "=" + *value + " is not handled yet";
    }
    return "";
}

/// The number of tasks when it is certain, else the reason.
Result<std::size_t> number_of_tasks(const SrunArgs& args, const Environment& environment,
                                    std::size_t num_nodes) {
    const auto nodes_option = args.value_of("nodes");
    if (nodes_option && !means_all_nodes(*nodes_option, num_nodes)) {
        return Error{Errc::not_supported, "--nodes=" + *nodes_option +
                                              " is not the whole allocation (" +
                                              std::to_string(num_nodes) + " nodes)"};
    }
    const auto job_nodes = environment("SLURM_JOB_NUM_NODES");
    if (!nodes_option && count_of(job_nodes) != num_nodes) {
        return Error{Errc::not_supported,
                     "SLURM_JOB_NUM_NODES is not the number of nodes in SLURM_JOB_NODELIST"};
    }
    std::optional<std::string> per_node;
    bool per_node_option = false;
    for (const std::string_view option : {"ntasks-per-node", "tasks-per-node"}) {
        if (const auto value = args.value_of(option); value) {
            per_node = value;
            per_node_option = true;
        }
    }
    if (!per_node) per_node = environment("SLURM_NTASKS_PER_NODE");

    std::optional<std::size_t> tasks;
    if (const auto option = args.value_of("ntasks"); option) {
        tasks = count_of(option);
        if (!tasks) return Error{Errc::not_supported, "--ntasks=" + *option + " is not a number"};
    } else if (!nodes_option && !per_node_option) {
        tasks = count_of(environment("SLURM_NTASKS"));
    }
    if (!tasks) return Error{Errc::not_supported, "the number of tasks is not certain (give -n)"};
    if (per_node && (!count_of(per_node) || *count_of(per_node) * num_nodes != *tasks)) {
        return Error{Errc::not_supported, *per_node + " tasks per node on " +
                                              std::to_string(num_nodes) + " nodes are not " +
                                              std::to_string(*tasks) + " tasks"};
    }
    return *tasks;
}

bool is_program(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool inside_a_step(const Environment& environment) {
    const auto step = environment("SLURM_STEP_ID");
    if (!step) return false;
    constexpr std::uint64_t last_normal_step =
        0xfffffff0;  // above: batch script, interactive shell, extern
    const auto number = parse_number(*step);
    return number && *number < last_normal_step;
}

StepDecision read_step_request(const SrunArgs& args, const Environment& environment) {
    if (args.command.empty() || args.has("test-only") || args.has("help") || args.has("usage") ||
        args.has("version"))
        return leave("");
    if (std::find(args.command.begin(), args.command.end(), ":") != args.command.end()) {
        return leave("':' separates the parts of a heterogeneous step");
    }
    if (!environment("SLURM_JOB_ID")) {
        return leave(
            "srun outside an allocation is not handled yet (use it inside salloc or sbatch)");
    }
    for (const Refusal& refusal : refusals) {
        if (args.has(refusal.option)) return leave(std::string(refusal.reason));
    }
    for (const Refusal& refusal : variable_refusals) {
        if (environment(refusal.option)) return leave(std::string(refusal.reason));
    }
    if (std::string reason = more_than_one_cpu(args, environment); !reason.empty())
        return leave(std::move(reason));

    StepRequest request;
    request.nodelist = environment("SLURM_JOB_NODELIST").value_or("");
    auto nodes = expand_hostlist(request.nodelist);
    if (!nodes || nodes.value().empty())
        return leave("SLURM_JOB_NODELIST '" + request.nodelist + "' cannot be read");
    request.nodes = std::move(nodes).value();
    const auto tasks = number_of_tasks(args, environment, request.nodes.size());
    if (!tasks) return leave(tasks.error().message);
    request.num_tasks = tasks.value();
    if (request.num_tasks == 1) return leave("");
    request.cpus_per_node = environment("SLURM_JOB_CPUS_PER_NODE").value_or("");
    if (request.cpus_per_node.empty()) return leave("SLURM_JOB_CPUS_PER_NODE is not set");
    request.mpi = args.value_of("mpi").value_or(environment("SLURM_MPI_TYPE").value_or(""));
    request.bind = !user_binds(args, environment);
    request.command = args.command.front();
    request.directory = args.value_of("chdir").value_or("");
    return {std::move(request), ""};
}

Result<std::string> locate_command(const std::string& command, const std::string& directory,
                                   const std::string& search_path) {
    const auto absolute = [&](const std::string& path) {
        return path.starts_with('/') ? path : directory + "/" + path;
    };
    if (command.find('/') != std::string::npos) {
        if (is_program(absolute(command))) return absolute(command);
    } else {
        for (std::size_t begin = 0; begin <= search_path.size();) {
            const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
            const std::string part = search_path.substr(begin, end - begin);
            const std::string candidate = absolute((part.empty() ? "." : part) + "/" + command);
            if (is_program(candidate)) return candidate;
            begin = end + 1;
        }
    }
    return Error{Errc::not_found, "'" + command + "' is not a program on this machine"};
}

}  // namespace commmap::spank
