// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "npb/npb_run.hpp"

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "common/bench_program.hpp"

namespace commmap::bench::npb {
namespace {

Numbers outgoing;
Numbers incoming;

}  // namespace

void require_power_of_two(const Run& run) {
    if (!std::has_single_bit(static_cast<unsigned>(run.ranks))) {
        throw UsageError("needs a power of two of ranks, not " + std::to_string(run.ranks));
    }
}

double* Numbers::of(std::size_t count) {
    if (numbers_.size() < count) numbers_.resize(count);
    return numbers_.data();
}

void swap_with(int peer, int sent, int received) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(incoming.of(static_cast<std::size_t>(received)), received, MPI_DOUBLE, peer, 1,
              MPI_COMM_WORLD, &request);
    MPI_Send(outgoing.of(static_cast<std::size_t>(sent)), sent, MPI_DOUBLE, peer, 1,
             MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void tell_timers(const Run& run) {
    if (run.release == Release::three) broadcast_integers(1);
}

void broadcast_integers(int count) {
    MPI_Bcast(outgoing.of(static_cast<std::size_t>(count)), count, MPI_INT, 0, MPI_COMM_WORLD);
}

void all_reduce(int count, MPI_Datatype type) {
    const auto numbers = static_cast<std::size_t>(count);
    double* own = outgoing.of(numbers);
    std::fill_n(own, numbers, 0.0);
    MPI_Allreduce(own, incoming.of(numbers), count, type, MPI_SUM, MPI_COMM_WORLD);
}

void reduce(int count, MPI_Datatype type) {
    const auto numbers = static_cast<std::size_t>(count);
    double* own = outgoing.of(numbers);
    std::fill_n(own, numbers, 0.0);
    MPI_Reduce(own, incoming.of(numbers), count, type, MPI_SUM, 0, MPI_COMM_WORLD);
}

}  // namespace commmap::bench::npb
