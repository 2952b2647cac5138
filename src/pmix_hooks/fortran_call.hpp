#pragma once

#include <mpi.h>

#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts and ranks are read as they stand");

/// A buffer as C would have it: Fortran's MPI_IN_PLACE is a variable in a common block of that
/// name.
[[nodiscard]] inline const void* fortran_buffer(const void* buffer) noexcept {
    static const void* const in_place = find_mpi_symbol("mpi_fortran_in_place_");
    return in_place != nullptr && buffer == in_place ? MPI_IN_PLACE : buffer;
}

/// Calls MPI's own function of Fortran, where everything is a pointer and the result is the last
/// argument, which mpi_f08 may leave out. Returns the result.
template <SymbolName name, class... Arguments>
inline int call_fortran(MPI_Fint* error, Arguments... arguments) {
    MPI_Fint own_error = MPI_SUCCESS;
    MPI_Fint* const result = error == nullptr ? &own_error : error;
    mpi_function<name, void(Arguments..., MPI_Fint*)>()(arguments..., result);
    return static_cast<int>(*result);
}

}  // namespace commmap::hooks
