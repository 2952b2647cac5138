// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::hooks {

/// A grid or a graph that this rank has made of a communicator. Same content as ProcessTopology,
/// but with the neighbours of this rank only.
struct TopologyEntry {
    std::uint32_t group = 0;     ///< RankGroup::number
    std::uint32_t num_dims = 0;  ///< 0 for a graph
    /// Numbers of the topology. A grid has its sides, then as many numbers, 1 for a periodic side.
    /// A graph has ranks of the world.
    const std::uint32_t* numbers = nullptr;
    std::uint32_t num_numbers = 0;
    const TopologyEntry* next = nullptr;  ///< the entry made before
};

}  // namespace commmap::hooks
