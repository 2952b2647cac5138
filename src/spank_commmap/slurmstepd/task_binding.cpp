// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/task_binding.hpp"

#include <slurm/slurm.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/cpus/node_cpus.hpp"
#include "core/plan_reply/cpu_set_table.hpp"
#include "core/text/one_line.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/binding.hpp"

namespace commmap::spank {
namespace {

struct Variable {
    const char* name;
    const char* value;
};
/// Variables that keep MPI libraries from binding: Intel MPI, MVAPICH2 and MVAPICH 3 bind their
/// ranks under srun too, and would undo our binding.
/// Open MPI 4.1 keeps a binding that it finds (orte/mca/ess/base/ess_base_fns.c), and 5 does not
/// bind under srun. MPICH binds only under its own launcher.
constexpr std::array binders_off = std::to_array<Variable>({
    {"I_MPI_PIN", "off"},
    {"MV2_ENABLE_AFFINITY", "0"},
    {"MVP_ENABLE_AFFINITY", "0"},
});

/// Returns SLURM_CPU_BIND_LIST when it holds masks, else "".
std::string slurm_masks(spank_t spank) {
    const auto type = task_variable(spank, "SLURM_CPU_BIND_TYPE");
    if (!type || type->find("mask_cpu") == std::string::npos) return "";
    return task_variable(spank, "SLURM_CPU_BIND_LIST").value_or("");
}

/// Returns the CPUs of a task. If the user did not say their number, some releases have none,
/// others a number out of range.
std::uint32_t cpus_per_task(spank_t spank) {
    const std::uint32_t number = number_item(spank, S_STEP_CPUS_PER_TASK).value_or(1);
    constexpr std::uint32_t most = 0xfff0;
    return number == 0 || number > most ? 1 : number;
}

std::string node_program() { return installed_file("commmap-node"); }

Result<std::string> look_at_node(std::chrono::seconds limit) {
    const std::string program = node_program();
    ProgramResult found =
        run_limited({program}, {.seconds = static_cast<std::uint64_t>(limit.count()),
                                .memory_mib = 1024,
                                .output_bytes = SharedAnswer::most_bytes,
                                .whole_environment = false});
    if (found.end != ProgramResult::End::answered)
        return Error{found.refused ? Errc::invalid_input : Errc::library,
                     "'" + program + "' " + found.reason};
    return std::move(found.output);
}

/// Returns this task's local number and the CPU sets of all local tasks, if they fit this node.
Result<TaskOfNode> task_of_node(spank_t spank, const CpuSetTable& table) {
    const auto node = number_item(spank, S_JOB_NODEID);
    const auto local_id = local_task_id(spank);
    const auto local_tasks = number_item(spank, S_JOB_LOCAL_TASK_COUNT);
    const CpuSetTable::Pattern* const pattern = node ? table.pattern_of(*node) : nullptr;
    if (pattern == nullptr || !local_id || *local_id >= pattern->size() ||
        local_tasks != pattern->size()) {
        return Error{Errc::out_of_range, "the plan is for other tasks than this node has"};
    }
    return TaskOfNode{
        .cpus_per_task = cpus_per_task(spank), .cpu_sets = *pattern, .local_id = *local_id};
}

/// Returns whether the task has GPUs: Slurm then gave it CPUs near them.
/// A step gets its job's devices even when its srun does not ask for them, and srun does not know
/// that.
bool has_gpus(spank_t spank) {
    return task_variable(spank, "SLURM_STEP_GPUS") || task_variable(spank, "SLURM_GPUS_ON_NODE");
}

void leave_to_slurm(const std::string& who, const Error& error) {
    print_line(who + ": CPU binding is left to Slurm: " + error.message);
}

}  // namespace

KeptNode TaskBinding::kept_node() const { return {question_.kept_directory, node_program()}; }

void TaskBinding::prepare() {
    if (auto kept = kept_node().load(); kept && node_of_bytes(kept.value())) {
        node_seen_.know(std::move(kept).value());
    } else {
        node_seen_.share();
    }
}

void TaskBinding::bind(spank_t spank, const PlacedValue& placed) const {
    if (placed.cpu_sets.empty() || has_gpus(spank)) return;
    const std::string task =
        "task " + std::to_string(number_item(spank, S_TASK_GLOBAL_ID).value_or(0));
    const auto table = CpuSetTable::parse(placed.cpu_sets);
    if (!table) return leave_to_slurm(task, table.error());
    const auto request = task_of_node(spank, table.value());
    if (!request) {
        if (placed.verbose) leave_to_slurm(task, request.error());
        return;
    }
    // Waits longer than the program may take.
    const auto seen = node_seen_.get([this] { return look_at_node(question_.limit); },
                                     question_.limit + std::chrono::milliseconds(500));
    const auto node = seen ? node_of_bytes(seen.value()) : seen.error();
    if (!node) {
        // All tasks of the node are left to Slurm. If the program is missing everywhere, only one
        // node tells.
        if (speaks_for_step(spank) || (placed.verbose && request.value().local_id == 0))
            leave_to_slurm(task_variable(spank, "SLURMD_NODENAME").value_or("a node"),
                           node.error());
        return;
    }
    const Status bound = bind_task(node.value(), slurm_masks(spank), request.value());
    if (bound) {
        for (const auto& [name, value] : binders_off) {
            if (!task_variable(spank, name)) set_task_variable(spank, name, value);
        }
    } else if (placed.verbose || bound.error().code != Errc::out_of_range) {
        // Other ranks of the node may be bound, and share their CPUs with this one.
        leave_to_slurm(task, bound.error());
    }
}

Status TaskBinding::keep_node() const {
    if (::geteuid() != 0 || !node_seen_.worked_out()) return Ok{};
    const KeptNode kept = kept_node();
    // another step's slurmstepd may have been faster
    const auto there = kept.load();
    if (there && (there.value().empty() || node_of_bytes(there.value()))) return Ok{};
    const auto key = kept.key();
    if (!key) return key.error();
    // Root asks once more, for other users' tasks must not trust what a task has seen. The step
    // ends later for it. So a program that took all its time is not asked again.
    const auto begin = std::chrono::steady_clock::now();
    const auto seen = look_at_node(question_.limit);
    const auto node = seen ? node_of_bytes(seen.value()) : seen.error();
    if (node) return kept.keep(key.value(), seen.value());
    if (std::chrono::steady_clock::now() - begin >= question_.limit)
        static_cast<void>(kept.keep(key.value(), ""));
    // An admin must hear of this error, so it is logged as an error too.
    if (node.error().code == Errc::invalid_input)
        slurm_error("commmap: %s", one_line(node.error().message).c_str());
    return node.error();
}

}  // namespace commmap::spank
