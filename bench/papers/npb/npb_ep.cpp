// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include "npb/npb_run.hpp"

namespace commmap::bench::npb {

/// The same for all classes: the sums of both deviates, their counts in ten rings, and the time.
void send_ep(const Run& run) {
    tell_timers(run);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const int count : {1, 1, 10, 1}) all_reduce(count, MPI_DOUBLE);
}

}  // namespace commmap::bench::npb
