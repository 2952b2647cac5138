// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>

namespace commmap::hooks {

/// Returns the size in bytes of the data of `count` elements, in 64 bits.
/// `type` must be valid: a call with it has succeeded.
/// Cost: predefined types come from a cache of the thread. MPI is asked for each other type at each
/// call, for MPI may reuse a freed handle for another type.
[[nodiscard]] std::uint64_t data_bytes(MPI_Count count, MPI_Datatype type) noexcept;

}  // namespace commmap::hooks
