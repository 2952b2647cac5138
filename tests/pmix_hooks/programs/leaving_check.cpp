// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Participation::everyone_leaving() itself. usage: leaving_check
// short|long|one_long|root_long|empty; exit code 0 when short records are on rank 0 and all ranks
// know that longer ones are not. leaving_check speaker: 0 when all ranks of this node know the
// lowest one that has a key.
#include <mpi.h>

#include <string>
#include <vector>

#include "core/base/frames.hpp"
#include "pmix_hooks/exchange/participation.hpp"
#include "pmix_hooks/exchange/shared_keys.hpp"

using commmap::hooks::Gathered;
using commmap::hooks::Participation;

namespace {

/// Rank 0 does not put the key.
bool knows_the_speaker(int rank, int size) {
    const commmap::hooks::PmixSession pmix;
    if (rank > 0) commmap::hooks::put_key(pmix.library(), "a.key", commmap::hooks::true_value());
    commmap::hooks::commit_keys(pmix.library());
    MPI_Barrier(MPI_COMM_WORLD);
    return pmix.open() && commmap::hooks::speaker_of_node("a.key", pmix, size) == 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::string way = argc > 1 ? argv[1] : "";
    if (way == "speaker") {
        const bool knows = knows_the_speaker(rank, size);
        MPI_Finalize();
        return knows ? 0 : 1;
    }
    const auto record_of = [&](int r) {
        const bool is_long =
            way == "long" || (way == "one_long" && r == size - 1) || (way == "root_long" && r == 0);
        const std::size_t length = Participation::most_bytes_of_record(size) + (is_long ? 1 : 0);
        return std::string(way == "empty" ? 0 : length, static_cast<char>('a' + r));
    };

    const Participation::Departure departure =
        Participation::everyone_leaving(rank, size, record_of(rank));

    bool good = departure.everyone.answer == Participation::Answer::all;
    bool to_gather = false;
    for (int r = 1; r < size; ++r)
        to_gather = to_gather || record_of(r).size() > Participation::most_bytes_of_record(size);
    good = good && departure.to_gather == to_gather;
    if (rank == 0 && !to_gather) {
        std::string others;
        for (int r = 1; r < size; ++r) commmap::append_frame(others, record_of(r));
        good = good && departure.handed_over.end == Gathered::End::complete &&
               departure.handed_over.records.view() == others;
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
