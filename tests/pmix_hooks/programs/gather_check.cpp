// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// gather_to_root() itself, with chunks of 7 bytes. usage: gather_check complete|too_large|lost;
// exit code 0 when rank 0 has what is expected and everybody ends.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/frames.hpp"
#include "pmix_hooks/exchange/gather.hpp"

using commmap::hooks::Gathered;

static std::string record_of(int rank) {
    // lengths 0, 5, 10, ...: shorter, as long as and longer than a chunk
    return std::string(static_cast<std::size_t>(5 * rank), static_cast<char>('a' + rank));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const std::string way = argc > 1 ? argv[1] : "";

    std::vector<char> memory(1000);  // rank 0 takes the records of all into a room that it has
    Gathered gathered;
    if (way == "lost" && rank == size - 1) {
        // the last rank is a leaf, or has children that it would have to hear
        for (int step = 1; step < size; step *= 2) {
            std::uint64_t nothing = UINT64_MAX;
            if (rank & step) {
                MPI_Send(&nothing, sizeof nothing, MPI_BYTE, rank - step, 0, MPI_COMM_WORLD);
                char end = 0;
                MPI_Recv(&end, 1, MPI_BYTE, rank - step, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                gathered.end = static_cast<Gathered::End>(end);
                break;
            }
        }
    } else {
        const std::size_t limit = way == "too_large" ? 40 : commmap::hooks::max_gathered_bytes;
        const std::span<char> room =
            way == "complete" && rank == 0 ? std::span(memory) : std::span<char>();
        gathered = commmap::hooks::gather_to_root(MPI_COMM_WORLD, rank, size, record_of(rank),
                                                  limit, room, 7);
    }

    // everybody knows how it ended
    const auto expected_end = way == "complete" ? Gathered::End::complete
                              : way == "lost"   ? Gathered::End::lost
                                                : Gathered::End::too_large;
    bool good = gathered.end == expected_end && (rank == 0 || gathered.records.view().empty());
    if (rank == 0 && way == "complete") {
        std::vector<std::string> expected;
        for (int r = 0; r < size; ++r) expected.push_back(record_of(r));
        std::vector<std::string> records;
        std::string_view frames = gathered.records.view();
        for (std::string_view frame; commmap::take_frame(frames, frame);)
            records.emplace_back(frame);
        std::sort(records.begin(), records.end());
        std::sort(expected.begin(), expected.end());
        good = good && records == expected && frames.empty();
    } else if (rank == 0) {
        good = good && gathered.records.view().empty();
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
