// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// Writes a SLURM_HOSTFILE: one host name a line, in rank order.
[[nodiscard]] std::string slurm_hostfile(const Hct& hct, Placement placement);

/// Writes an Open MPI rankfile (Open MPI 4 and 5): "rank 0=m0 slot=1". A slot is a core, by its
/// logical index in hwloc's order.
[[nodiscard]] std::string open_mpi_rankfile(const Hct& hct, Placement placement);

/// Writes the node of each rank, in the form that parse_node_runs() reads.
[[nodiscard]] std::string node_order(const Hct& hct, Placement placement);

/// Returns the CPU set of each rank: its index among the CPU sets of the rank's node (see
/// divide_cpus()). Sets of a node are in ascending order of their first PUs.
/// @pre no PU twice
/// Cost: O(ranks log ranks).
[[nodiscard]] std::vector<std::uint32_t> cpu_set_of_rank(const Hct& hct, Placement placement);

/// Writes the CPU sets of the local tasks of each node, local tasks in rank order, in the form that
/// CpuSetTable reads.
[[nodiscard]] std::string cpu_set_patterns(const Hct& hct, Placement placement);

/// Reads a placement from a SLURM_HOSTFILE: one host name a line, one line for each rank, '#'
/// begins a comment. The k-th rank on a node takes the k-th of `candidate_pus` on that node.
/// Errors: invalid_input for an unknown node, too many ranks on a node, or a wrong number of lines.
[[nodiscard]] Result<std::vector<PuId>> placement_from_hostfile(const std::string& text,
                                                                const Hct& hct,
                                                                std::span<const PuId> candidate_pus,
                                                                std::size_t num_ranks);

}  // namespace commmap
