// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/request/user_choices.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/base/number.hpp"

namespace commmap::spank {
namespace {

/// Launches that a choice of the user leaves alone.
enum class Scope : std::uint8_t { every, in_allocation, standalone, none };

/// An option of srun, the variable that srun reads as the same, and the words that follow its name
/// in the reason. Either name may be empty.
struct Choice {
    std::string_view option;
    std::string_view variable;
    std::string_view reason;
    Scope scope = Scope::every;
    /// Only the order is left alone; CPUs inside the nodes may be bound.
    bool order_only = false;
};

constexpr std::string_view not_worked_out = "changes the layout in a way that is not worked out";
constexpr std::string_view in_container = "runs the program in a container";

/// Choices under which we must not change the layout or, in an allocation, do not know it.
constexpr std::array layout_choices = std::to_array<Choice>({
    {"multi-prog", "SLURM_SRUN_MULTI", "launches several programs"},
    {"no-allocate", "", "launches outside Slurm's bookkeeping"},
    {"jobid", "", "names another job"},
    {"het-group", "", "is a heterogeneous job"},
    {"pack-group", "", "is a heterogeneous job"},
    {"clusters", "SLURM_CLUSTERS", "names another cluster"},
    {"cluster", "", "names another cluster"},
    {"distribution", "SLURM_DISTRIBUTION", "chooses the placement", Scope::every, true},
    {"", "SLURM_HOSTFILE", "chooses the placement", Scope::every, true},
    {"overcommit", "SLURM_OVERCOMMIT", "shares CPUs between tasks"},
    {"interactive", "", "is a shell"},
    {"external-launcher", "SLURM_EXTERNAL_LAUNCHER", "starts another launcher"},
    {"container", "SLURM_CONTAINER", in_container},
    {"", "SRUN_CONTAINER", in_container},
    {"container-id", "SLURM_CONTAINER_ID", in_container},
    {"", "SRUN_CONTAINER_ID", in_container},
    {"container-type", "", in_container},
    {"bcast", "SLURM_BCAST", "would copy the program twice", Scope::standalone, true},
    {"x11", "", "forwards to the srun that was there first", Scope::standalone, true},
    {"resv-ports", "SLURM_RESV_PORTS", "keeps the ports of srun's first step", Scope::standalone,
     true},
    {"nodefile", "", "chooses the nodes", Scope::in_allocation, true},
    {"constraint", "SLURM_CONSTRAINT", "chooses the nodes", Scope::in_allocation, true},
    {"spread-job", "SLURM_SPREAD_JOB", "chooses the nodes", Scope::in_allocation, true},
    {"use-min-nodes", "SLURM_USE_MIN_NODES", "chooses the nodes", Scope::in_allocation, true},
});

/// Choices under which Slurm gives tasks their CPUs by a rule of the user's. Slurm's masks obey
/// that rule, and so do the places made from the masks.
/// These choices change the layout too.
constexpr std::array cpu_choices = std::to_array<Choice>({
    {"ntasks-per-core", "SLURM_NTASKS_PER_CORE", not_worked_out, Scope::in_allocation, true},
    {"ntasks-per-socket", "", not_worked_out, Scope::in_allocation, true},
    {"extra-node-info", "", not_worked_out, Scope::in_allocation, true},
    {"sockets-per-node", "SLURM_NSOCKETS_PER_NODE", not_worked_out, Scope::in_allocation, true},
    {"cores-per-socket", "SLURM_NCORES_PER_SOCKET", not_worked_out, Scope::in_allocation, true},
    {"threads-per-core", "SLURM_THREADS_PER_CORE", not_worked_out, Scope::in_allocation, true},
    {"hint", "SLURM_HINT", not_worked_out, Scope::in_allocation, true},
    {"core-spec", "SLURM_CORE_SPEC", not_worked_out, Scope::in_allocation, true},
    {"thread-spec", "SLURM_THREAD_SPEC", not_worked_out, Scope::in_allocation, true},
});

/// Choices under which a task's CPUs are near its devices: binding is left to Slurm.
constexpr std::array device_choices = std::to_array<Choice>({
    {"ntasks-per-gpu", "SLURM_NTASKS_PER_GPU", not_worked_out, Scope::in_allocation},
    {"ntasks-per-tres", "SLURM_NTASKS_PER_TRES", not_worked_out, Scope::in_allocation},
    {"cpus-per-gpu", "SLURM_CPUS_PER_GPU", not_worked_out, Scope::in_allocation},
    // Left alone standalone too: the first of two sruns makes an overlapping step, which gets no
    // --gpus=16 of 16 ("Insufficient GRES available in allocation", 22.05 to 26.05).
    {"gpus", "SLURM_GPUS", not_worked_out, Scope::every},
    {"gpus-per-node", "SLURM_GPUS_PER_NODE", not_worked_out, Scope::in_allocation},
    {"gpus-per-socket", "SLURM_GPUS_PER_SOCKET", not_worked_out, Scope::in_allocation},
    {"gpus-per-task", "SLURM_GPUS_PER_TASK", not_worked_out, Scope::in_allocation},
    {"tres-per-task", "SLURM_TRES_PER_TASK", not_worked_out, Scope::in_allocation},
    {"gres", "SLURM_GRES", "", Scope::none},
    {"gpu-bind", "SLURM_GPU_BIND", "", Scope::none},
    {"accel-bind", "SLURM_ACCEL_BIND", "", Scope::none},
});

/// Returns whether a value says only "cpu:4", which is no choice of devices.
/// salloc -c4 of 24.11 sets this in SLURM_TRES_PER_TASK, beside SLURM_CPUS_PER_TASK.
bool is_cpus_alone(const Choice& choice, std::string_view value, const Environment& environment) {
    if (choice.variable != "SLURM_TRES_PER_TASK") return false;
    const std::string cpus = environment("SLURM_CPUS_PER_TASK").value_or("");
    return !cpus.empty() && (value == "cpu:" + cpus || value == "cpu=" + cpus);
}

/// Returns the name by which the user made the choice; empty if the user did not make it.
std::string made_as(const Choice& choice, const SrunArgs& args, const Environment& environment) {
    if (!choice.option.empty() && args.has(choice.option)) return "--" + std::string(choice.option);
    if (choice.variable.empty()) return "";
    const auto value = environment(choice.variable);
    if (!value || is_cpus_alone(choice, *value, environment)) return "";
    return std::string(choice.variable);
}

/// Returns whether a value of --cpu-bind leaves to Slurm which CPU a task gets. Every other value
/// is a choice of the user's.
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

}  // namespace

Refusal reason_to_leave(const SrunArgs& args, const Environment& environment, Where where) {
    if (std::find(args.command.begin(), args.command.end(), ":") != args.command.end())
        return {"':' separates the parts of a heterogeneous step"};
    const auto reason_among = [&](std::span<const Choice> choices, bool order_only) -> std::string {
        for (const Choice& choice : choices) {
            const bool counts = choice.scope == Scope::every ||
                                choice.scope == (where == Where::allocation ? Scope::in_allocation
                                                                            : Scope::standalone);
            if (!counts || choice.order_only != order_only) continue;
            if (const std::string name = made_as(choice, args, environment); !name.empty())
                return name + " " + std::string(choice.reason);
        }
        return "";
    };
    // Choices that forbid everything come first: a reason that leaves us the CPUs must be the only
    // one.
    for (const bool order_only : {false, true}) {
        for (const std::span<const Choice> choices :
             {std::span<const Choice>(layout_choices), std::span<const Choice>(cpu_choices),
              std::span<const Choice>(device_choices)}) {
            if (std::string reason = reason_among(choices, order_only); !reason.empty())
                return {std::move(reason), order_only};
        }
        if (!order_only && environment("SLURM_HET_SIZE")) return {"the job is heterogeneous"};
    }
    return {};
}

std::string reason_not_to_bind(const SrunArgs& args, const Environment& environment) {
    for (const std::string_view option : {"cpu-bind", "cpu_bind"}) {
        const auto value = args.value_of(option);
        if (!value) continue;
        return leaves_binding_open(*value) ? "" : "--" + std::string(option) + "=" + *value;
    }
    if (const auto value = environment("SLURM_CPU_BIND"); value && !leaves_binding_open(*value))
        return "SLURM_CPU_BIND=" + *value;
    for (const Choice& choice : device_choices) {
        if (std::string name = made_as(choice, args, environment); !name.empty()) return name;
    }
    return "";
}

std::optional<std::uint32_t> cpus_per_task(const SrunArgs& args, const Environment& environment,
                                           const SlurmRules& rules) {
    std::optional<std::string> text = args.value_of("cpus-per-task");
    if (!text) text = environment(rules.cpus_per_task_variable);
    if (!text) return 1;
    const auto number = parse_number(*text);
    if (!number || *number == 0 || *number > (1U << 16)) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

}  // namespace commmap::spank
