// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "peers/peer_graph.hpp"

namespace commmap::peers {

/// Moves vertices between parts until every part has its size.
///
/// @param sizes  vertices wanted in each part, all > 0; their sum is the number of vertices
/// @param part   part of each vertex, changed in place
/// One vertex too many leaves its part at a time, on the way to a part with room that adds least to
/// the weight of cut edges: straight, or by way of other parts, each of which takes one vertex and
/// gives another. A step that lowers the cut counts as one that adds nothing. Sums of weights are
/// double. Cost: O(edges * log edges + steps * (degree * log edges + parts^2)). Same input, same
/// result.
void repair_sizes(const PeerGraph& graph, std::span<const std::int32_t> sizes,
                  std::vector<std::int32_t>& part);

}  // namespace commmap::peers
