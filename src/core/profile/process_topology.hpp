// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commmap/ids.hpp"

namespace commmap {

/// A process topology: a grid or a graph of the members of a communicator, as the program described
/// it to MPI.
/// Source: MPI 4.1, chapter 8 (Process Topologies).
struct ProcessTopology {
    static constexpr std::size_t most_dims = 32;
    /// The most topologies that a rank records, and the most numbers in all of them together:
    /// sides, their periods, and its own neighbours.
    static constexpr std::size_t most_of_rank = 64;
    static constexpr std::size_t most_numbers = 1024;
    /// The most topologies of a profile.
    static constexpr std::size_t most_of_run = 65'536;

    std::uint32_t communicator = 0;  ///< index into Profile::communicators
    /// Sides of a grid (MPI_Cart_create). The members are its cells, the last side running fastest.
    /// Empty: a graph.
    std::vector<std::uint32_t> dims;
    std::vector<std::uint8_t> periodic;  ///< by side: 1 where the last cell neighbours the first
    /// Of a graph (MPI_Graph_create, MPI_Dist_graph_create): for each member, the ranks to which it
    /// sends, as ranks of MPI_COMM_WORLD in the program's order.
    std::vector<std::vector<RankId>> destinations;
    bool operator==(const ProcessTopology&) const = default;
};

/// Tells whether these sides make a grid of `num_cells` cells.
/// Cost: O(sides).
[[nodiscard]] inline bool is_grid(const std::vector<std::uint32_t>& dims,
                                  const std::vector<std::uint8_t>& periodic,
                                  std::size_t num_cells) {
    if (dims.empty() || dims.size() > ProcessTopology::most_dims || periodic.size() != dims.size())
        return false;
    std::size_t cells = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 0 || periodic[i] > 1 || cells > num_cells / dims[i]) return false;
        cells *= dims[i];
    }
    return cells == num_cells;
}

}  // namespace commmap
