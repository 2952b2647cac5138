// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace commmap::spank {

/// Length of the longest PMI value: PMI2_MAX_VALLEN without the NUL.
inline constexpr std::size_t longest_pmi_value = 1023;

/// Writes which ranks share a node, as mpi/pmi2 tells it to MPICH in PMI_process_mapping:
/// "(vector,(first node,nodes,ranks on each),...)", in rank order.
/// In a step with a host file, mpi/pmi2 of some releases tells MPICH that no ranks share a node
/// (SlurmRules::pmi2_loses_nodes). There this text stands in for Slurm's.
/// Nodes count from 0 in node-list order, without the nodes that have no ranks.
/// Errors: nullopt when the text is longer than a PMI value may be, for MPICH would read a part of
/// it.
[[nodiscard]] std::optional<std::string> pmi2_map(std::span<const std::uint32_t> node_of_rank);

/// Variable that carries the map from srun to slurmstepd, where it replaces Slurm's own map.
inline constexpr const char* pmi2_map_variable = "SLURM_COMMMAP_PMI2_MAP";

}  // namespace commmap::spank
