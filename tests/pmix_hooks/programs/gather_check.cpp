// gather_to_root() itself, with chunks of 7 bytes. usage: gather_check [BROKEN_RANK]; exit code 0
// when all is right.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pmix_hooks/gather.hpp"

static std::string report_of(int rank) {
    // lengths 0, 5, 10, ...: shorter, as long as and longer than a chunk
    return std::string(static_cast<std::size_t>(5 * rank), static_cast<char>('a' + rank));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    commmap::hooks::Gathered gathered =
        commmap::hooks::gather_to_root(MPI_COMM_WORLD, rank, size, report_of(rank), 7);

    bool good = true;
    if (rank == 0) {
        std::vector<std::string> expected;
        for (int r = 0; r < size; ++r) expected.push_back(report_of(r));
        std::sort(gathered.reports.begin(), gathered.reports.end());
        std::sort(expected.begin(), expected.end());
        good = gathered.complete && gathered.reports == expected;
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
