#pragma once

#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#endif

#include <atomic>
#include <cstddef>

namespace commmap::hooks {

/// Address of a symbol in the MPI library of this process, null when there is none. Looks where the
/// program looks first, then in every loaded object: Python and Julia load MPI out of the global
/// scope (RTLD_LOCAL). Nothing here is linked against MPI, so the recorder can be loaded into any
/// program.
[[nodiscard]] void* find_mpi_symbol(const char* name) noexcept;

/// Address of the function that a call would reach without this library, null when there is none.
/// @param own  this library's function of that name
[[nodiscard]] void* find_next_symbol(const char* name, const void* own) noexcept;

/// As find_mpi_symbol(), for what a wrapped call cannot do without: says so on stderr and aborts
/// when it is missing.
[[nodiscard]] void* require_mpi_symbol(const char* name) noexcept;

/// Our handles are Open MPI's pointers; in a process of another MPI library nothing may be looked
/// at.
[[nodiscard]] bool is_open_mpi() noexcept;

template <std::size_t N>
struct SymbolName {
    char text[N];
    consteval SymbolName(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
        for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
    }
};

/// Resolved at the first call, then one load.
template <SymbolName name, class Function>
[[nodiscard]] inline Function* mpi_function() noexcept {
    static std::atomic<void*> slot{nullptr};
    void* address = slot.load(std::memory_order_relaxed);
    if (address == nullptr) [[unlikely]] {
        address = require_mpi_symbol(name.text);
        slot.store(address, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(address);
}

/// PMPI(Send)(...) calls PMPI_Send.
#define PMPI(name) (::commmap::hooks::mpi_function<"PMPI_" #name, decltype(MPI_##name)>())

#define PMPIX(name) (::commmap::hooks::mpi_function<"PMPIX_" #name, decltype(MPIX_##name)>())

/// The predefined handles: mpi.h's own macros would be undefined symbols of ours.
template <SymbolName name, class Handle>
[[nodiscard]] inline Handle mpi_handle() noexcept {
    static std::atomic<void*> slot{nullptr};
    void* address = slot.load(std::memory_order_relaxed);
    if (address == nullptr) [[unlikely]] {
        address = require_mpi_symbol(name.text);
        slot.store(address, std::memory_order_relaxed);
    }
    return static_cast<Handle>(address);
}

[[nodiscard]] inline MPI_Comm comm_world() noexcept {
    return mpi_handle<"ompi_mpi_comm_world", MPI_Comm>();
}
[[nodiscard]] inline MPI_Comm comm_self() noexcept {
    return mpi_handle<"ompi_mpi_comm_self", MPI_Comm>();
}
[[nodiscard]] inline MPI_Comm comm_null() noexcept {
    return mpi_handle<"ompi_mpi_comm_null", MPI_Comm>();
}
[[nodiscard]] inline MPI_Datatype type_byte() noexcept {
    return mpi_handle<"ompi_mpi_byte", MPI_Datatype>();
}
[[nodiscard]] inline MPI_Errhandler errors_return() noexcept {
    return mpi_handle<"ompi_mpi_errors_return", MPI_Errhandler>();
}

}  // namespace commmap::hooks
