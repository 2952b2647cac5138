#include "spank_commmap/slurmstepd/binding.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/cpus/task_cpus.hpp"

namespace commmap::spank {

Status bind_task(const NodeCpus& node, std::string_view slurm_masks,
                 const BindingRequest& request) {
    std::vector<CpuSet> masks;
    if (!slurm_masks.empty()) {
        auto parsed = parse_cpu_masks(slurm_masks);
        if (!parsed) return parsed.error();
        masks = std::move(parsed).value();
    }
    const auto current = current_cpus();
    if (!current) return current.error();
    const auto share =
        cpu_share(masks, current.value(), request.cpu_sets.size(), request.cpus_per_task);
    if (!share) return share.error();
    const auto part = part_of_node(node, share.value().cpus);
    if (!part) return part.error();
    const auto cpus =
        choose_cpus(part.value(), share.value().cpus_per_task, request.cpu_sets, request.local_id);
    if (!cpus) return cpus.error();
    return set_cpus(cpus.value(), current.value());
}

}  // namespace commmap::spank
