// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts and ranks are read as they stand");

/// Returns a buffer as C has it. Fortran's MPI_IN_PLACE is a variable in a common block of that
/// name.
[[nodiscard]] inline const void* fortran_buffer(const void* buffer) noexcept {
    static const void* const in_place = find_mpi_symbol("mpi_fortran_in_place_");
    return in_place != nullptr && buffer == in_place ? MPI_IN_PLACE : buffer;
}

/// A Fortran function of the MPI library, searched for once.
struct FortranFunction {
    void* address = nullptr;  ///< function that a call would reach without this library, or null
    bool is_ours = false;     ///< false: its handles are not ours (a serial stand-in for MPI)
};
[[nodiscard]] FortranFunction find_fortran_function(const char* name) noexcept;

/// Calls the function of that name behind this library, where all arguments are pointers and the
/// result is the last argument.
/// mpi_f08 may leave out the last argument.
/// Returns the result. For a function that is not of our MPI library returns a failure, so that
/// nothing is noted.
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
