// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "graphs/instance.hpp"

namespace commmap::bench {

// Cost of each: O(edges). Edges that fall together are added up by graph_from_edges().

/// NPB CG: rows x columns of ranks in row-major order (as many columns as rows or twice as many);
/// each rank exchanges with log2(columns) partners of its row, at half of the row, a quarter, ...,
/// and with the transposed rank, `weight` each.
/// Source: NAS Parallel Benchmarks 3.4, CG/cg.f90, setup_proc_info and conj_grad.
/// Differs from it: without the dot products, which are 8 bytes an exchange.
/// Throws InputError when the number of ranks is not a power of two.
[[nodiscard]] std::vector<Edge> cg_edges(const InstanceOptions& options);

/// A spectral code on pencils: planes x rows x columns of ranks in row-major order. In each plane
/// all ranks of a row exchange with each other and all of a column do (the transposes of a 2D FFT);
/// neighbouring planes exchange rank by rank (finite differences); `weight` each.
/// Rows and columns are the longest, then the most equal, with at most 62 partners a rank, so that
/// with both planes it has at most 64. One plane is enough up to 32 x 32 ranks.
[[nodiscard]] std::vector<Edge> pencils_edges(const InstanceOptions& options);

/// Recursive doubling: each rank exchanges with those whose number differs in one bit. Every bit
/// has `weight`. Throws InputError when the number of ranks is not a power of two.
[[nodiscard]] std::vector<Edge> hypercube_edges(const InstanceOptions& options);

/// The same, with half of the weight from one bit to the next: the lowest bit has the most, weight
/// * ranks / 2, the highest has `weight`.
[[nodiscard]] std::vector<Edge> butterfly_edges(const InstanceOptions& options);

/// Every rank with every other, `weight` each. Throws InputError above 2048 ranks.
[[nodiscard]] std::vector<Edge> alltoall_edges(const InstanceOptions& options);

/// A stencil2d5 among the first half of the ranks (rounded down); the others have no messages.
[[nodiscard]] std::vector<Edge> isolated_edges(const InstanceOptions& options);

}  // namespace commmap::bench
