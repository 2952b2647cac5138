#pragma once

#include <mpi.h>

#include <cstdint>

namespace commmap::hooks {

/// Size of the data of `count` elements in bytes, in 64 bits. `type` is valid (a call with it has
/// succeeded). Predefined types come from a cache of the thread; others are asked each time, for a
/// freed handle may come back as another type.
[[nodiscard]] std::uint64_t data_bytes(MPI_Count count, MPI_Datatype type) noexcept;

}  // namespace commmap::hooks
