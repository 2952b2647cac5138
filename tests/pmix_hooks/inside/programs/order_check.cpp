// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Prints the ranks of MPI_COMM_WORLD in the order of OrderedComm. Rank r is on node r % NODES.
// usage: order_check NODES [WITHOUT]
//   WITHOUT: this rank has no room for another communicator; prints "no order" then
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const bool has_room = argc < 3 || rank != std::atoi(argv[2]);
    bool good = true;
    {
        const auto order = commmap::inside::OrderedComm::make(MPI_COMM_WORLD, {},
                                                              rank % std::atoi(argv[1]), has_room);
        if (rank == 0 && order == nullptr) std::printf("no order");
        for (int place = 0; order != nullptr && place < order->size(); ++place) {
            if (rank == 0) std::printf("%d ", order->rank_at(place));
            good = good && order->place_of(order->rank_at(place)) == place;
        }
        good = good && (order == nullptr || order->rank_at(order->place()) == rank);
    }
    if (rank == 0) std::printf("\n");
    MPI_Finalize();
    return good ? 0 : 1;
}
