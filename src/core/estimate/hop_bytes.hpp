// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/estimate/estimator.hpp"

namespace commmap {

/// Hop-bytes of a placement: J = sum of C[u][v] * D[pu(u)][pu(v)] over unordered rank pairs. Lower
/// is better.
/// C is the bytes sent both ways, and D the number of links between two PUs (0 for the same PU).
///
/// @return  J in byte-hops; invalid_input as check_placement()
/// Cost: O(entries * depth). Thread-safe. Same input, same result.
/// Source: Schulz, Traeff, "Better Process Mapping and Sparse Quadratic Assignment", SEA 2017,
/// arXiv:1702.04164, the objective function of its introduction.
/// Differs from the paper: D counts links of the tree instead of taking a given distance per level;
/// J is a double, exact up to 2^53.
[[nodiscard]] Result<double> hop_bytes(const CommGraph& graph, const Hct& hct, Placement placement);

class PortTable;

/// Does the same with the table's copy of the tree, for many placements of one graph.
/// @pre check_placement() holds
[[nodiscard]] double hop_bytes(const CommGraph& graph, const PortTable& table, Placement placement);

}  // namespace commmap
