// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Prints what PMIx says of this process, before MPI_Init (nothing) and after: "NODE NODE_ID" on a
// line each.
#include <mpi.h>

#include <cstdio>

#include "pmix_hooks/exchange/pmix_client.hpp"

int main(int argc, char** argv) {
    commmap::hooks::RankLocation before;
    commmap::hooks::ask_pmix(before);
    MPI_Init(&argc, &argv);
    commmap::hooks::RankLocation after;
    commmap::hooks::ask_pmix(after);
    std::printf("before '%s' %u\nafter '%s' %u\n", before.node, before.node_id, after.node,
                after.node_id);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
