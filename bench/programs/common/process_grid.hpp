// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commmap::bench {

/// Numbers 0..count-1 in an order that depends on `seed` alone; seed 0 gives the identity.
[[nodiscard]] std::vector<int> seeded_permutation(int count, std::uint64_t seed);

/// A Cartesian grid of processes. Cell numbers are row-major (the last dimension varies fastest),
/// and rank r sits in cell permutation[r].
class ProcessGrid {
public:
    /// @param shape     "4x4" or "2x2x4"; empty: what MPI_Dims_create gives
    /// @param scramble  0: rank r sits in cell r; else the seed of the permutation
    /// Throws UsageError when the shape cannot be read or does not hold `ranks` cells.
    ProcessGrid(int ranks, int dimensions, const std::string& shape, std::uint64_t scramble);

    [[nodiscard]] std::span<const int> shape() const { return shape_; }

    /// Rank `step` (+1 or -1) away from `rank` along `dimension`; -1 when there is none, or when
    /// the step leads back to the rank itself.
    [[nodiscard]] int neighbour(int rank, int dimension, int step, bool periodic) const;

private:
    std::vector<int> shape_;
    std::vector<int> cell_of_rank_;
    std::vector<int> rank_of_cell_;
};

}  // namespace commmap::bench
