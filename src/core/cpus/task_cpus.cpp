// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/task_cpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/cpus/cpu_places.hpp"

namespace commmap {
namespace {

CpuSet union_of(std::span<const CpuSet> masks) {
    CpuSet all;
    for (const CpuSet& mask : masks) all.insert(all.end(), mask.begin(), mask.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

Error not_filled(std::size_t num_tasks, std::uint32_t cpus_per_task, std::size_t num_cpus) {
    const std::string each =
        cpus_per_task == 1 ? "1 CPU each" : fmt::format("{} CPUs each (-c)", cpus_per_task);
    return {Errc::out_of_range,
            fmt::format("{} tasks of {} do not match the {} CPUs that Slurm lets them use",
                        num_tasks, each, num_cpus)};
}

}  // namespace

Result<CpuShare> cpu_share(std::span<const CpuSet> masks, const CpuSet& current,
                           std::size_t num_tasks, std::uint32_t cpus_per_task) {
    if (masks.empty()) {
        if (current.size() != num_tasks * cpus_per_task)
            return not_filled(num_tasks, cpus_per_task, current.size());
        return CpuShare{current, cpus_per_task};
    }
    CpuSet all = union_of(masks);
    const std::size_t size = masks.front().size();
    const bool alike = std::all_of(masks.begin(), masks.end(),
                                   [&](const CpuSet& mask) { return mask.size() == size; });
    if (masks.size() == num_tasks && alike && all.size() == num_tasks * size)
        return CpuShare{std::move(all), static_cast<std::uint32_t>(size)};
    // Tasks share masks: Slurm gives such masks where the CPUs asked for are no whole cores. The
    // union of the masks can still be divided. If the user said how many CPUs a task needs, all of
    // the union is divided.
    const std::size_t each = all.size() / num_tasks;
    const bool enough = cpus_per_task > 1 ? each >= cpus_per_task : all.size() == num_tasks;
    if (!enough) return not_filled(num_tasks, cpus_per_task, all.size());
    return CpuShare{std::move(all), static_cast<std::uint32_t>(each)};
}

Result<CpuSet> choose_cpus(const NodeCpus& node, std::uint32_t cpus_per_task,
                           std::span<const std::uint32_t> cpu_sets, std::size_t local_id) {
    if (local_id >= cpu_sets.size())
        return Error{Errc::out_of_range,
                     fmt::format("the plan has no CPU set for local task {}", local_id)};
    const auto places =
        divide_cpus(node.tree, static_cast<std::uint32_t>(cpu_sets.size()), cpus_per_task);
    if (!places) return places.error();
    if (cpu_sets[local_id] >= places.value().size()) {
        return Error{Errc::out_of_range, fmt::format("the plan names CPU set {}, the node has {}",
                                                     cpu_sets[local_id], places.value().size())};
    }
    CpuSet cpus;
    for (const std::uint32_t cpu : places.value()[cpu_sets[local_id]])
        cpus.push_back(node.os_index[cpu]);
    std::sort(cpus.begin(), cpus.end());
    return cpus;
}

Result<CpuSet> cpus_of_task(const NodeCpus& node, std::span<const CpuSet> masks,
                            const CpuSet& current, const TaskOfNode& task) {
    const auto share = cpu_share(masks, current, task.cpu_sets.size(), task.cpus_per_task);
    if (!share) return share.error();
    const auto part = part_of_node(node, share.value().cpus);
    if (!part) return part.error();
    return choose_cpus(part.value(), share.value().cpus_per_task, task.cpu_sets, task.local_id);
}

}  // namespace commmap
