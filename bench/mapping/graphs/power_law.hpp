// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "graphs/instance.hpp"

namespace commmap::bench {

/// R-MAT with a, b, c, d = 0.57, 0.19, 0.19, 0.05: few ranks with very many neighbours, many with
/// none. 4 edges a rank are drawn, `weight` each; draws of a rank with itself, or of a rank that
/// does not exist (their number need not be a power of two), are repeated. Parallel edges are added
/// up, so there are less than 8 neighbours a rank on average.
/// Source: Chakrabarti, Zhan, Faloutsos, "R-MAT: A recursive model for graph mining", SDM 2004; the
/// numbers are those of the Graph500 benchmark.
/// Cost: O(ranks * log(ranks)).
[[nodiscard]] std::vector<Edge> power_law_edges(const InstanceOptions& options);

}  // namespace commmap::bench
