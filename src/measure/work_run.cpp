// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/work_run.hpp"

#include <cstddef>
#include <utility>

#include "core/calibration/blocks.hpp"

namespace commmap::measure {
namespace {

/// Each operation needs the result of the one before, so the time is that of one core's clock.
std::uint64_t chain(std::uint64_t operations, std::uint64_t value) {
    // A linear congruential generator (Knuth's MMIX): a multiplication and an addition.
    constexpr std::uint64_t factor = 6364136223846793005U;
    constexpr std::uint64_t summand = 1442695040888963407U;
    for (std::uint64_t o = 0; o < operations; ++o) value = value * factor + summand;
    return value;
}

}  // namespace

WorkRun::WorkRun(MPI_Comm comm, std::vector<RankPair> nodes)
    : comm_(comm), nodes_(std::move(nodes)) {}

std::vector<std::vector<double>> WorkRun::measure(std::uint64_t operations) {
    int own = 0;
    MPI_Comm_rank(comm_, &own);
    std::vector<double> all(nodes_.size() * blocks_of_length, 0.0);
    volatile std::uint64_t kept = static_cast<std::uint64_t>(own);
    MPI_Barrier(comm_);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (nodes_[n].sender != own) continue;
        for (std::size_t block = 0; block < blocks_of_length; ++block) {
            const double begin = MPI_Wtime();
            kept = chain(operations, kept);
            all[n * blocks_of_length + block] = MPI_Wtime() - begin;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX,
                  comm_);
    std::vector<std::vector<double>> values;
    for (auto at = all.begin(); at != all.end(); at += blocks_of_length) {
        values.emplace_back(at, at + blocks_of_length);
    }
    return values;
}

}  // namespace commmap::measure
