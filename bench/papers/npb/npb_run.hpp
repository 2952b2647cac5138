// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace commmap::bench::npb {

/// What Riesen counted, and what release 3.3.1 sends: there rank 0 also broadcasts whether timers
/// are wanted.
enum class Release { two = 2, three = 3 };

/// What a benchmark knows of the run that it is part of.
struct Run {
    char problem_class = 'S';
    Release release = Release::two;
    int rank = 0;
    int ranks = 1;
};

/// Makes all MPI calls of one benchmark, with its counts and datatypes, and none of its arithmetic.
/// Every rank of MPI_COMM_WORLD calls it between MPI_Init and MPI_Finalize. Throws UsageError where
/// the benchmark does not run on that many ranks.
/// Source: NASA Ames Research Center, the NAS Parallel Benchmarks (NAS-95-020), releases 3.3.1 and
/// 3.4, and the sizes of their classes.
void send_cg(const Run& run);
void send_ep(const Run& run);
void send_ft(const Run& run);
void send_is(const Run& run);
void send_mg(const Run& run);
void send_sp(const Run& run);

/// The row of a class in a table of the sizes of S, W, A, B and C, in this order.
template <typename Sizes>
[[nodiscard]] const Sizes& sizes_of(const Run& run, std::span<const Sizes, 5> table) {
    return table[std::string("SWABC").find(run.problem_class)];
}

/// Throws UsageError unless the number of ranks is a power of two.
void require_power_of_two(const Run& run);

/// Numbers that are sent and received, and whose values do not matter.
class Numbers {
public:
    /// At least `count` numbers; they stay valid until a larger count is asked for.
    [[nodiscard]] double* of(std::size_t count);

private:
    std::vector<double> numbers_;
};

/// Swaps numbers with another rank, or with itself: MPI_Irecv, MPI_Send and MPI_Wait.
void swap_with(int peer, int sent, int received);

/// MPI_Bcast of one integer from rank 0 that tells whether timers are wanted; none in release 2.
void tell_timers(const Run& run);

void broadcast_integers(int count);
void all_reduce(int count, MPI_Datatype type);
/// To rank 0.
void reduce(int count, MPI_Datatype type);

}  // namespace commmap::bench::npb
