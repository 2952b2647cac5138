// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "peers/peer_program.hpp"

namespace commmap::peers {

/// Part of each vertex, in parts of exactly these sizes.
using Splitter =
    std::function<std::vector<std::int32_t>(const PeerGraph&, std::span<const std::int32_t>)>;

/// Maps level by level from the root: the ranks of each group are split among its children by
/// their PUs, and so on down; in the lowest group they take its PUs in ascending order.
///
/// @return  the PU of each rank
/// Cost: for each level, O(edges) beside what `split` takes.
/// Source: Schulz, Traeff, "Better Process Mapping and Sparse Quadratic Assignment", SEA 2017,
/// arXiv:1702.04164, the top-down construction.
[[nodiscard]] PeerProgram::Mapping map_by_levels(const PeerProblem& problem, const Splitter& split);

}  // namespace commmap::peers
