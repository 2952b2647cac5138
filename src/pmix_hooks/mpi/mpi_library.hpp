// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#endif

#include <atomic>
#include <cstddef>

#if defined(COMMMAP_HOOKS_MPICH) ? !defined(MPICH_VERSION) : !defined(OPEN_MPI)
#error "this is not the mpi.h of the library that is to be recorded"
#endif

namespace commmap::hooks {

/// Returns the address of a symbol in this process's MPI library; null when there is none.
/// Looks where the program looks first, then in every loaded object: Python and Julia load MPI out
/// of the global scope (RTLD_LOCAL).
/// The recorder is not linked against MPI, so it can be loaded into any program.
[[nodiscard]] void* find_mpi_symbol(const char* name) noexcept;

/// Returns the address of the function that a call would reach without this library; null when
/// there is none.
/// This function is the next one behind this library in the order in which libraries were loaded.
[[nodiscard]] void* find_next_symbol(const char* name) noexcept;

/// Does the same as find_next_symbol(), but also skips the recorder for the other kind of MPI
/// library, where that recorder is loaded too.
[[nodiscard]] void* find_behind_recorders(const char* name) noexcept;

/// Returns a function that fails, to stand for a missing function.
[[nodiscard]] void* missing_function() noexcept;
/// Finds a symbol that every library of our kind has. When it is missing, says so on stderr and
/// aborts.
[[nodiscard]] void* require_mpi_object(const char* name) noexcept;

/// ABI of an MPI library. Intel's, MVAPICH's and Cray's libraries have the ABI of MPICH (their
/// library's number is 12).
/// The ABI of MPI 5 is `other`.
enum class MpiAbi { none, open_mpi, mpich, other };
/// Returns the ABI of this process's MPI library.
/// Cost: a look at all loaded libraries, at each call until an MPI library is found.
[[nodiscard]] MpiAbi loaded_abi() noexcept;

/// ABI of the mpi.h that this library is built with. In a process of another MPI library no handle
/// may be looked at.
#if defined(OPEN_MPI)
inline constexpr MpiAbi own_abi = MpiAbi::open_mpi;
#else
inline constexpr MpiAbi own_abi = MpiAbi::mpich;
#endif

template <std::size_t N>
struct SymbolName {
    char text[N];
    consteval SymbolName(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
        for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
    }
};

/// Returns the address of a symbol, found at the first call; later calls cost one load.
/// A missing symbol is searched for again at each call, for MPI may be loaded later.
template <SymbolName name, void* (*find)(const char*) noexcept>
[[nodiscard]] inline void* resolved() noexcept {
    static std::atomic<void*> slot{nullptr};
    void* address = slot.load(std::memory_order_relaxed);
    if (address == nullptr) [[unlikely]] {
        address = find(name.text);
        if (address == nullptr) return missing_function();
        slot.store(address, std::memory_order_relaxed);
    }
    return address;
}

template <SymbolName name, class Function>
[[nodiscard]] inline Function* mpi_function() noexcept {
    return reinterpret_cast<Function*>(resolved<name, find_mpi_symbol>());
}

/// Calls a function of MPI's profiling interface: PMPI(Send)(...) calls PMPI_Send.
#define PMPI(name) (::commmap::hooks::mpi_function<"PMPI_" #name, decltype(MPI_##name)>())

/// Calls the function that the program would have called without this library: MPI's, or another
/// tool's wrapper.
template <SymbolName name, class... Arguments>
inline int call_next(Arguments... arguments) {
    void* const next = resolved<name, find_next_symbol>();
    return reinterpret_cast<int (*)(Arguments...)>(next)(arguments...);
}

}  // namespace commmap::hooks
