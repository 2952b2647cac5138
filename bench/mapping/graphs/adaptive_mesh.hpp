// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "graphs/instance.hpp"

namespace commmap::bench {

/// A quadtree refined around a circle, as a code with adaptive mesh refinement does around a front:
/// the seed is the moment, which decides where the circle (radius 1/4) is. Each leaf is a rank, in
/// the order of the Z curve; leaves with a common piece of face exchange the length of that piece,
/// in units of the smallest leaf's side, times `weight`.
/// Exactly as many leaves as ranks: refining a leaf makes three more, so the mesh begins with 1, 2
/// or 3 unit squares in a row, and the leaf with the largest size / (distance from the circle +
/// 1/32) is refined until there are enough. Sizes change gradually and differ by about 2^4 over the
/// mesh; that neighbours differ by one level at most is likely, and not enforced. Cost: O(ranks *
/// log(ranks)).
[[nodiscard]] std::vector<Edge> adaptive_mesh_edges(const InstanceOptions& options);

}  // namespace commmap::bench
