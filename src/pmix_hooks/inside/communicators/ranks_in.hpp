// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <vector>

namespace commmap::inside {

/// Returns the ranks that the members of a communicator have in another one; MPI_UNDEFINED for a
/// member that is not in the other one.
/// @param size  of `comm`, > 0
/// @return      by rank in `comm`; empty where MPI refuses
/// Errors: throws std::bad_alloc.
[[nodiscard]] std::vector<int> ranks_in(MPI_Comm other, MPI_Comm comm, int size);

}  // namespace commmap::inside
