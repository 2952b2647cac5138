#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// One host name per rank, in rank order: what SLURM_HOSTFILE takes.
[[nodiscard]] std::string slurm_hostfile(const Hct& hct, Placement placement);

/// Open MPI rankfile: "rank 0=m0 slot=1", slot = logical core index in hwloc's order (Open MPI 4
/// and 5).
[[nodiscard]] std::string open_mpi_rankfile(const Hct& hct, Placement placement);

/// The node of each rank, as parse_node_runs reads it.
[[nodiscard]] std::string node_order(const Hct& hct, Placement placement);

/// The CPU set of each rank, as its index among those of its node (see divide_cpus()), in
/// ascending order of their first PUs. @pre no PU twice. Cost: O(ranks log ranks).
[[nodiscard]] std::vector<std::uint32_t> cpu_set_of_rank(const Hct& hct, Placement placement);

/// The CPU set of each local task of each node, local tasks in rank order, as CpuSetTable reads it.
[[nodiscard]] std::string cpu_set_patterns(const Hct& hct, Placement placement);

/// Host names of a SLURM_HOSTFILE (or one name per line, '#' comments), one per rank -> PUs: the
/// k-th rank on a node takes the k-th of `candidate_pus` on it. Errors: invalid_input (unknown
/// node, too many ranks on one, wrong number of lines).
[[nodiscard]] Result<std::vector<PuId>> placement_from_hostfile(const std::string& text,
                                                                const Hct& hct,
                                                                std::span<const PuId> candidate_pus,
                                                                std::size_t num_ranks);

}  // namespace commmap
