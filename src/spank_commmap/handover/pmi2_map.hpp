#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace commmap::spank {

/// PMI2_MAX_VALLEN without its end.
inline constexpr std::size_t longest_pmi_value = 1023;

/// Which ranks share a node, as mpi/pmi2 tells it to MPICH in PMI_process_mapping:
/// "(vector,(first node,nodes,ranks on each),...)", in rank order. Nodes count from 0 in node-list
/// order, those without ranks left out. nullopt when it is longer than a PMI value may
/// be: MPICH would read a part of it.
[[nodiscard]] std::optional<std::string> pmi2_map(std::span<const std::uint32_t> node_of_rank);

/// Carries the map from srun to slurmstepd, where it takes the place of Slurm's own.
inline constexpr const char* pmi2_map_variable = "SLURM_COMMMAP_PMI2_MAP";

}  // namespace commmap::spank
