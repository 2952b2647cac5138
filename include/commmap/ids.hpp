#pragma once

#include <cstdint>

namespace commmap {

/// Rank in MPI_COMM_WORLD, 0-based.
using RankId = std::uint32_t;
/// Processing unit of a hardware communication topology: leaves in tree order, 0-based.
using PuId = std::uint32_t;
/// Element (processing or switch element) of a hardware communication topology; the root is 0.
using ElementId = std::uint32_t;
/// Node of a hardware communication topology in the order of the job's node list, 0-based.
using NodeId = std::uint32_t;

inline constexpr std::uint32_t no_id = UINT32_MAX;

}  // namespace commmap
