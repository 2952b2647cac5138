#pragma once

#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Operating system CPU numbers, ascending.
using CpuSet = std::vector<unsigned>;

/// "0x3,0xC" -> {0,1} {2,3}: the masks of SLURM_CPU_BIND_LIST, one for each local task.
/// invalid_input for anything that is no list of hexadecimal masks, or more than 2^16 CPUs.
[[nodiscard]] Result<std::vector<CpuSet>> parse_cpu_masks(std::string_view text);

/// The CPUs of the calling thread. io: the system does not tell.
[[nodiscard]] Result<CpuSet> current_cpus();

/// Binds the calling thread to exactly these. io when the system refuses some or all of them (a
/// cpuset that does not have them): the old binding, `before`, stays.
[[nodiscard]] Status set_cpus(const CpuSet& cpus, const CpuSet& before);

}  // namespace commmap
