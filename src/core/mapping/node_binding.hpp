// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "core/mapping/mapper_table.hpp"

namespace commmap {

/// Improves the binding inside each node: the ranks of a node exchange the PUs that they have
/// there. No rank leaves its node, and no other PU is used.
///
/// Nodes are refined one by one, by refine() on the inside of each, because traffic inside one node
/// does not load the ports of another. All ranks outside stand as a single rank. That is exact for
/// messages that leave the node; messages that arrive count as if one rank sent them all.
///
/// @param start  fits graph and hct; distinct PUs; asserted
/// @return       a placement whose port_cost() is at most the start's
/// Cost: O(entries), and for each node at most default_binding_evaluations evaluations, or
/// options.max_evaluations when that is not 0.
/// Deterministic.
[[nodiscard]] std::vector<PuId> bind_in_nodes(const CommGraph& graph, const Hct& hct,
                                              std::span<const PuId> start,
                                              const MapperOptions& options);

inline constexpr std::uint64_t default_binding_evaluations = 200'000;  // about a second

}  // namespace commmap
