#pragma once

#include <mpi.h>

#include <cstddef>

#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {

/// A handle as a Fortran program has it (an INTEGER; in mpi_f08 a type of one), as C has it.
template <class Handle>
[[nodiscard]] Handle from_fortran(const void* integer) noexcept;

template <>
[[nodiscard]] inline MPI_Comm from_fortran(const void* integer) noexcept {
    return PMPI(Comm_f2c)(*static_cast<const MPI_Fint*>(integer));
}
template <>
[[nodiscard]] inline MPI_Datatype from_fortran(const void* integer) noexcept {
    return PMPI(Type_f2c)(*static_cast<const MPI_Fint*>(integer));
}
template <>
[[nodiscard]] inline MPI_Request from_fortran(const void* integer) noexcept {
    return PMPI(Request_f2c)(*static_cast<const MPI_Fint*>(integer));
}

template <>
[[nodiscard]] inline MPI_Win from_fortran(const void* integer) noexcept {
    return PMPI(Win_f2c)(*static_cast<const MPI_Fint*>(integer));
}
template <>
[[nodiscard]] inline MPI_Op from_fortran(const void* integer) noexcept {
    return PMPI(Op_f2c)(*static_cast<const MPI_Fint*>(integer));
}

/// An array of handles, of C or of Fortran.
template <class Handle>
class Handles {
public:
    Handles() = default;
    Handles(const Handle* handles) noexcept : handles_(handles) {}  // NOLINT(google-explicit-*)
    [[nodiscard]] static Handles of_fortran(const void* integers) noexcept {
        Handles all;
        all.integers_ = static_cast<const MPI_Fint*>(integers);
        return all;
    }
    [[nodiscard]] Handle operator[](std::size_t index) const noexcept {
        return integers_ == nullptr ? handles_[index] : from_fortran<Handle>(integers_ + index);
    }

private:
    const Handle* handles_ = nullptr;
    const MPI_Fint* integers_ = nullptr;
};

}  // namespace commmap::hooks
