// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// CPU numbers of the operating system, ascending.
using CpuSet = std::vector<unsigned>;

/// Reads the masks of SLURM_CPU_BIND_LIST, one for each local task: "0x3,0xC" -> {0,1} {2,3}.
/// Errors: invalid_input for text that is no list of hexadecimal masks, or that has more than 2^16
/// CPUs.
[[nodiscard]] Result<std::vector<CpuSet>> parse_cpu_masks(std::string_view text);

/// Returns the CPUs that the calling thread may run on.
/// Errors: io when the system does not tell.
[[nodiscard]] Result<CpuSet> current_cpus();

/// Binds the calling thread to exactly the given CPUs.
/// @param before  the binding that is restored on error
/// Errors: io when the system refuses some or all of the CPUs, for instance because the cpuset
/// lacks them.
[[nodiscard]] Status set_cpus(const CpuSet& cpus, const CpuSet& before);

}  // namespace commmap
