// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/binding.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/cpus/task_cpus.hpp"

namespace commmap::spank {

Status bind_task(const NodeCpus& node, std::string_view slurm_masks, const TaskOfNode& task) {
    std::vector<CpuSet> masks;
    if (!slurm_masks.empty()) {
        auto parsed = parse_cpu_masks(slurm_masks);
        if (!parsed) return parsed.error();
        masks = std::move(parsed).value();
    }
    const auto current = current_cpus();
    if (!current) return current.error();
    const auto cpus = cpus_of_task(node, masks, current.value(), task);
    if (!cpus) return cpus.error();
    return set_cpus(cpus.value(), current.value());
}

}  // namespace commmap::spank
