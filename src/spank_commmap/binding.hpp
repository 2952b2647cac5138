#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace commmap::spank {

/// Operating system CPU numbers, ascending.
using CpuSet = std::vector<unsigned>;

/// "0x3,0xC" -> {0,1} {2,3}: the masks of SLURM_CPU_BIND_LIST, one for each local task.
/// invalid_input for anything that is no list of hexadecimal masks, or more than 2^16 CPUs.
[[nodiscard]] Result<std::vector<CpuSet>> parse_cpu_masks(std::string_view text);

/// The CPUs for one task: its slot counted among `allowed`, in the order `logical_order` (hwloc's,
/// by OS number).
///
/// Where the PU lies in exactly one of Slurm's masks and no other local task's slot lies in that
/// mask, the whole mask is the answer: the tasks then permute what Slurm gave them, and one that
/// was given a core keeps all its threads. Else the PU alone. out_of_range when there are fewer PUs
/// than slots; nothing is changed then.
[[nodiscard]] Result<CpuSet> choose_cpus(std::span<const unsigned> logical_order,
                                         const CpuSet& allowed, std::span<const CpuSet> masks,
                                         std::span<const std::uint32_t> slots,
                                         std::size_t local_id);

/// Binds the calling thread, inside the union of Slurm's masks, or inside what it may use now when
/// Slurm gave none. Errors: as above, library (hwloc), io (the system refused; the old binding
/// stays).
[[nodiscard]] Status bind_task(std::string_view slurm_masks, std::span<const std::uint32_t> slots,
                               std::size_t local_id);

}  // namespace commmap::spank
