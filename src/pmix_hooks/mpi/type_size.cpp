// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/mpi/type_size.hpp"

#include <cstddef>

#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {
namespace {

struct CachedSize {
    MPI_Datatype type;
    std::uint64_t bytes;
};
constexpr std::size_t cache_slots = 16;
constinit thread_local CachedSize cache[cache_slots]{};

/// Asks MPI for the size of a type, and caches the size of a predefined type.
/// Not inlined: it takes addresses of variables, which would put a stack protector into its
/// callers, at 2 ns a message.
[[gnu::noinline]] std::uint64_t ask_for_bytes(MPI_Datatype type, CachedSize& cached) noexcept {
    MPI_Count bytes = 0;
    if (PMPI(Type_size_x)(type, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    if (PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
        combiner == MPI_COMBINER_NAMED)
        cached = {type, static_cast<std::uint64_t>(bytes)};
    return static_cast<std::uint64_t>(bytes);
}

std::uint64_t type_bytes(MPI_Datatype type) noexcept {
    CachedSize& cached = cache[spread(handle_number(type)) % cache_slots];
    if (cached.type == type) [[likely]]
        return cached.bytes;
    return ask_for_bytes(type, cached);
}

}  // namespace

std::uint64_t data_bytes(MPI_Count count, MPI_Datatype type) noexcept {
    return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * type_bytes(type);
}

}  // namespace commmap::hooks
