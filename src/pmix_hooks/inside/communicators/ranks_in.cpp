// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/ranks_in.hpp"

#include <cstddef>
#include <numeric>

#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {

std::vector<int> ranks_in(MPI_Comm other, MPI_Comm comm, int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> in_other(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group ours{};
    MPI_Group theirs{};
    if (PMPI(Comm_group)(comm, &ours) != MPI_SUCCESS) return {};
    bool found = PMPI(Comm_group)(other, &theirs) == MPI_SUCCESS;
    if (found) {
        found = PMPI(Group_translate_ranks)(ours, size, ranks.data(), theirs, in_other.data()) ==
                MPI_SUCCESS;
        PMPI(Group_free)(&theirs);
    }
    PMPI(Group_free)(&ours);
    return found ? in_other : std::vector<int>();
}

}  // namespace commmap::inside
