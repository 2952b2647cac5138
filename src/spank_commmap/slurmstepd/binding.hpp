#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "commmap/result.hpp"
#include "core/cpus/node_cpus.hpp"

namespace commmap::spank {

/// One task of a step.
struct BindingRequest {
    std::uint32_t cpus_per_task = 1;
    std::span<const std::uint32_t> cpu_sets;  ///< the index of each local task's
    std::size_t local_id = 0;                 ///< this task: index into cpu_sets
};

/// Binds the calling thread and checks that it is bound.
///
/// @param node         all CPUs of the machine
/// @param slurm_masks  SLURM_CPU_BIND_LIST where it lists masks, else empty
/// Errors: those of cpu_share(), part_of_node() and choose_cpus(), io (the system refused); the old
/// binding stays.
[[nodiscard]] Status bind_task(const NodeCpus& node, std::string_view slurm_masks,
                               const BindingRequest& request);

}  // namespace commmap::spank
