#pragma once

#include <span>
#include <vector>

#include "core/mapping/mapper_table.hpp"

namespace commmap {

/// Gives the ranks of each node other ones of the PUs that they have there: no rank changes its
/// node, no other PU is used.
///
/// Nodes are refined one by one, by refine() on what is inside of each: what happens inside one is
/// nothing to the ports of another. All ranks outside are one to it, which is exact for what leaves
/// the node, and takes what arrives as if one rank sent it.
///
/// @param start  fits graph and hct; distinct PUs; asserted
/// @return  a placement whose port_cost() is at most the start's
/// Cost: O(entries) and at most default_binding_evaluations evaluations of a node's inside, or
/// options.max_evaluations where it is not 0. Deterministic.
[[nodiscard]] std::vector<PuId> bind_in_nodes(const CommGraph& graph, const Hct& hct,
                                              std::span<const PuId> start,
                                              const MapperOptions& options);

inline constexpr std::uint64_t default_binding_evaluations = 200'000;  // about a second

}  // namespace commmap
