// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Tells by which algorithm a reduction runs: how often, and with how many numbers, an operation of
// this program is called.
// usage: algorithm_check OPERATION COUNT [several-threads|in-background]
//   OPERATION: allreduce, or reduce to rank 0
//   COUNT: numbers of each rank
//   several-threads: any thread may call MPI
//   in-background: makes a communicator by MPI_Comm_idup first
// Rank 1 prints "CALLS of LENGTH" for a call that the library in src/pmix_hooks/inside may run, and
// for a native one on a communicator that is made after that call. The exit code is 3 when
// MPI_Query_thread does not say the same before and after.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct Seen {
    int calls = 0;
    int longest = 0;
};
Seen seen;

void add(void* in, void* in_out, int* count, MPI_Datatype*) {
    const auto* theirs = static_cast<const int*>(in);
    auto* sums = static_cast<int*>(in_out);
    for (int i = 0; i < *count; ++i) sums[i] += theirs[i];
    ++seen.calls;
    seen.longest = std::max(seen.longest, *count);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const bool to_all = std::string_view(argv[1]) == "allreduce";
    const int count = std::atoi(argv[2]);
    int level = 0;
    const std::string_view how = argc > 3 ? argv[3] : "";
    MPI_Init_thread(&argc, &argv,
                    how == "several-threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Query_thread(&level);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op sum = MPI_OP_NULL;
    MPI_Op_create(add, 1, &sum);
    MPI_Comm made = MPI_COMM_NULL;
    if (how == "in-background") {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&made);
    }
    std::vector<int> mine(static_cast<std::size_t>(count), 1);
    std::vector<int> sums(mine.size());
    if (to_all) {
        MPI_Allreduce(mine.data(), sums.data(), count, MPI_INT, sum, MPI_COMM_WORLD);
    } else {
        MPI_Reduce(mine.data(), sums.data(), count, MPI_INT, sum, 0, MPI_COMM_WORLD);
    }
    const Seen first = seen;
    seen = {};
    MPI_Comm later = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &later);
    if (to_all) {
        PMPI_Allreduce(mine.data(), sums.data(), count, MPI_INT, sum, later);
    } else {
        PMPI_Reduce(mine.data(), sums.data(), count, MPI_INT, sum, 0, later);
    }
    if (rank == 1)
        std::printf("%d of %d, then %d of %d\n", first.calls, first.longest, seen.calls,
                    seen.longest);
    MPI_Comm_free(&later);
    MPI_Op_free(&sum);
    int level_now = 0;
    MPI_Query_thread(&level_now);
    MPI_Finalize();
    return level_now == level ? 0 : 3;
}
