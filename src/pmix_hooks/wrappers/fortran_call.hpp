#pragma once

#include <mpi.h>

#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts and ranks are read as they stand");

/// A buffer as C would have it: Fortran's MPI_IN_PLACE is a variable in a common block of that
/// name.
[[nodiscard]] inline const void* fortran_buffer(const void* buffer) noexcept {
    static const void* const in_place = find_mpi_symbol("mpi_fortran_in_place_");
    return in_place != nullptr && buffer == in_place ? MPI_IN_PLACE : buffer;
}

/// A function of Fortran, looked for once.
struct FortranFunction {
    void* address = nullptr;  ///< what a call would reach without this library; null: nothing
    bool is_ours = false;     ///< else its handles are not ours (a serial stand-in for MPI)
};
[[nodiscard]] FortranFunction find_fortran_function(const char* name) noexcept;

/// Calls the function of that name behind ours, where everything is a pointer and the result is the
/// last argument, which mpi_f08 may leave out. Returns the result, and of a function that is not
/// of our MPI library a failure: nothing is noted of it.
template <SymbolName name, class... Arguments>
inline int call_fortran(MPI_Fint* error, Arguments... arguments) {
    static const FortranFunction function = find_fortran_function(name.text);
    MPI_Fint own_error = MPI_SUCCESS;
    MPI_Fint* const result = error == nullptr ? &own_error : error;
    if (function.address == nullptr) {
        *result = MPI_ERR_OTHER;
    } else {
        reinterpret_cast<void (*)(Arguments..., MPI_Fint*)>(function.address)(arguments..., result);
    }
    return function.is_ours ? static_cast<int>(*result) : MPI_ERR_OTHER;
}

}  // namespace commmap::hooks
