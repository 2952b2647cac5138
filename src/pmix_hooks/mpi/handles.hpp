// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {

// This file hides how the two kinds of MPI library differ in their handles.
// A handle is an address in Open MPI, and a number in MPICH and in all libraries with MPICH's ABI.
// In MPICH all kinds of handles are one C type, so no function may be overloaded by the kind of
// handle.
// A handle of zeros stands for no handle; neither library has a handle of zeros.

/// Type in which a wrapper takes a handle: a whole register.
/// A wrapper in a process of the other kind of library passes on a handle that it does not know.
template <class Handle>
using Passed = std::conditional_t<std::is_pointer_v<Handle>, Handle, std::intptr_t>;

template <class Handle>
[[nodiscard]] inline std::uintptr_t handle_number(Handle handle) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<std::uintptr_t>(handle);
    else
        return static_cast<std::uintptr_t>(static_cast<unsigned>(handle));
}
template <class Handle>
[[nodiscard]] inline Handle handle_of_number(std::uintptr_t number) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return std::bit_cast<Handle>(number);
    else
        return static_cast<Handle>(number);
}
/// Spreads handles over the places of a hash table.
/// Addresses are equal in their low bits, and numbers in their high bits.
[[nodiscard]] constexpr std::size_t spread(std::uintptr_t number) noexcept {
    return number ^ (number >> 6) ^ (number >> 9);
}

#if defined(OPEN_MPI)

/// Returns a predefined handle. The macros of mpi.h would be undefined symbols of this library.
template <SymbolName name, class Handle>
[[nodiscard]] inline Handle predefined() noexcept {
    return static_cast<Handle>(resolved<name, require_mpi_object>());
}

[[nodiscard]] inline MPI_Comm comm_world() noexcept {
    return predefined<"ompi_mpi_comm_world", MPI_Comm>();
}
[[nodiscard]] inline MPI_Comm comm_self() noexcept {
    return predefined<"ompi_mpi_comm_self", MPI_Comm>();
}
[[nodiscard]] inline MPI_Comm comm_null() noexcept {
    return predefined<"ompi_mpi_comm_null", MPI_Comm>();
}
[[nodiscard]] inline MPI_Datatype type_null() noexcept {
    return predefined<"ompi_mpi_datatype_null", MPI_Datatype>();
}
[[nodiscard]] inline MPI_Datatype type_byte() noexcept {
    return predefined<"ompi_mpi_byte", MPI_Datatype>();
}
[[nodiscard]] inline MPI_Datatype type_int() noexcept {
    return predefined<"ompi_mpi_int", MPI_Datatype>();
}
[[nodiscard]] inline MPI_Errhandler errors_return() noexcept {
    return predefined<"ompi_mpi_errors_return", MPI_Errhandler>();
}
[[nodiscard]] inline MPI_Op op_null() noexcept { return predefined<"ompi_mpi_op_null", MPI_Op>(); }
[[nodiscard]] inline MPI_Op op_min() noexcept { return predefined<"ompi_mpi_op_min", MPI_Op>(); }
[[nodiscard]] inline MPI_Op op_no_op() noexcept {
    return predefined<"ompi_mpi_op_no_op", MPI_Op>();
}

/// Converts a Fortran handle into C's handle. A Fortran handle is an INTEGER, or in mpi_f08 a type
/// that holds one INTEGER.
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
[[nodiscard]] inline MPI_Message from_fortran(const void* integer) noexcept {
    return PMPI(Message_f2c)(*static_cast<const MPI_Fint*>(integer));
}
template <>
[[nodiscard]] inline MPI_Win from_fortran(const void* integer) noexcept {
    return PMPI(Win_f2c)(*static_cast<const MPI_Fint*>(integer));
}
template <>
[[nodiscard]] inline MPI_Op from_fortran(const void* integer) noexcept {
    return PMPI(Op_f2c)(*static_cast<const MPI_Fint*>(integer));
}

#else

[[nodiscard]] inline MPI_Comm comm_world() noexcept { return MPI_COMM_WORLD; }
[[nodiscard]] inline MPI_Comm comm_self() noexcept { return MPI_COMM_SELF; }
[[nodiscard]] inline MPI_Comm comm_null() noexcept { return MPI_COMM_NULL; }
[[nodiscard]] inline MPI_Datatype type_null() noexcept { return MPI_DATATYPE_NULL; }
[[nodiscard]] inline MPI_Datatype type_byte() noexcept { return MPI_BYTE; }
[[nodiscard]] inline MPI_Datatype type_int() noexcept { return MPI_INT; }
[[nodiscard]] inline MPI_Errhandler errors_return() noexcept { return MPI_ERRORS_RETURN; }
[[nodiscard]] inline MPI_Op op_null() noexcept { return MPI_OP_NULL; }
[[nodiscard]] inline MPI_Op op_min() noexcept { return MPI_MIN; }
[[nodiscard]] inline MPI_Op op_no_op() noexcept { return MPI_NO_OP; }

/// Converts a Fortran handle into C's handle; in MPICH both have the same number.
template <class Handle>
[[nodiscard]] inline Handle from_fortran(const void* integer) noexcept {
    return static_cast<Handle>(*static_cast<const MPI_Fint*>(integer));
}

#endif

/// An array of handles that a C or a Fortran program passed.
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
    /// Returns whether the program passed no address; MPI will refuse that call.
    [[nodiscard]] bool are_missing() const noexcept {
        return handles_ == nullptr && integers_ == nullptr;
    }
    [[nodiscard]] Handle operator[](std::size_t index) const noexcept {
        return integers_ == nullptr ? handles_[index] : from_fortran<Handle>(integers_ + index);
    }

private:
    const Handle* handles_ = nullptr;
    const MPI_Fint* integers_ = nullptr;
};

}  // namespace commmap::hooks
