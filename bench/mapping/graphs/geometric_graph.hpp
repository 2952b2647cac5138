// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "graphs/instance.hpp"

namespace commmap::bench {

/// Random geometric graphs: points at random in the unit square or cube, an edge where two are
/// nearer than a radius that gives a mean degree of 8 (square) or 12 (cube) away from the border,
/// so less on the whole; need not be connected. The weight is 1 to 100 times `weight`, by a hash of
/// the pair. Ranks are numbered cell by cell, cells (at least as wide as the radius) in row-major
/// order. Cost: O(ranks).
[[nodiscard]] std::vector<Edge> rgg2d_edges(const InstanceOptions& options);
[[nodiscard]] std::vector<Edge> rgg3d_edges(const InstanceOptions& options);

/// A triangulation like Delaunay's of points that are jittered about a square lattice: each lattice
/// square has one of its diagonals, at random; 2 to 8 neighbours, `weight` each. The lattice is as
/// wide as the square root of the ranks, rounded up, and its last row may be short.
/// Differs from Delaunay's of random points: no rank has more than 8 neighbours.
[[nodiscard]] std::vector<Edge> delaunay_edges(const InstanceOptions& options);

}  // namespace commmap::bench
