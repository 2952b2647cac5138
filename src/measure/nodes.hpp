// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/calibration/measuring_text.hpp"

namespace commmap::measure {

/// Returns the rank that runs on each node, by the node's name: what Slurm calls the node, else the
/// name of the host. Of several ranks on a node the first counts.
/// Collective over MPI_COMM_WORLD.
/// @param cpu  the CPU that this rank runs on: its name is "NODE:CPU" then, and each CPU has a rank
[[nodiscard]] std::map<std::string, int, std::less<>> rank_of_nodes(
    const std::optional<std::uint32_t>& cpu);

/// A pair of a series, with ranks of MPI_COMM_WORLD in place of the nodes' names.
struct RankPair {
    int sender;
    int receiver;
};

/// @return  invalid_input when no rank runs on a node, or when a pattern other than streams, each
///          pair and work uses a node twice
[[nodiscard]] Result<std::vector<RankPair>> rank_pairs(
    const NamedSeries& series, const std::map<std::string, int, std::less<>>& rank_of);

/// Returns the ranks of some pairs, each once, in ascending order.
[[nodiscard]] std::vector<int> ranks_of(const std::vector<RankPair>& pairs);

/// Returns the pairs with places in `ranks` instead of ranks.
/// @pre ranks is what ranks_of() returns for these pairs
[[nodiscard]] std::vector<RankPair> numbered_within(const std::vector<int>& ranks,
                                                    const std::vector<RankPair>& pairs);

}  // namespace commmap::measure
