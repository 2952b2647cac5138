// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/peers/priority_matrix.hpp"

namespace commmap {

/// Makes a priority matrix from the rows of each phase, written down by hand: rows[phase][rank].
inline PriorityMatrix matrix_of(const std::vector<std::vector<std::vector<Priority>>>& phases) {
    PriorityMatrix matrix;
    matrix.num_ranks = phases.empty() ? 0 : phases.front().size();
    for (const auto& rows : phases) {
        PriorityRows& of_phase = matrix.phases.emplace_back();
        for (const std::vector<Priority>& row : rows) of_phase.add_row(row);
        matrix.small_messages += of_phase.num_messages();
    }
    matrix.all_messages = matrix.small_messages;
    return matrix;
}

/// Makes a matrix in which each rank sends to about `share` of the others, up to `most` messages to
/// each in a phase. Small numbers make equal priorities frequent.
inline PriorityMatrix random_matrix(std::size_t num_ranks, std::size_t num_phases, double share,
                                    std::uint64_t most, std::mt19937& random) {
    std::bernoulli_distribution sends(share);
    std::vector<std::vector<std::vector<Priority>>> phases(num_phases);
    for (auto& rows : phases) {
        rows.resize(num_ranks);
        for (RankId rank = 0; rank < num_ranks; ++rank)
            for (RankId peer = 0; peer < num_ranks; ++peer)
                if (peer != rank && sends(random))
                    rows[rank].push_back({peer, 1 + random() % most});
    }
    return matrix_of(phases);
}

}  // namespace commmap
