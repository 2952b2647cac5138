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

/// Address of a symbol in the MPI library of this process, null when there is none. Looks where the
/// program looks first, then in every loaded object: Python and Julia load MPI out of the global
/// scope (RTLD_LOCAL). Nothing here is linked against MPI, so the recorder can be loaded into any
/// program.
[[nodiscard]] void* find_mpi_symbol(const char* name) noexcept;

/// Address of the function that a call would reach without this library, null when there is none:
/// the next one behind it in the order in which libraries were loaded.
[[nodiscard]] void* find_next_symbol(const char* name) noexcept;

/// The same past the recorder for the other kind of MPI library, where that is loaded too.
[[nodiscard]] void* find_behind_recorders(const char* name) noexcept;

/// Stands for a function that is missing: fails.
[[nodiscard]] void* missing_function() noexcept;
/// For what no library of our kind is without: says so on stderr and aborts when it is missing.
[[nodiscard]] void* require_mpi_object(const char* name) noexcept;

/// Which ABI an MPI library has. That of MPICH is also Intel's, MVAPICH's, Cray's (the number of
/// their library is 12); the ABI of MPI 5 is neither.
enum class MpiAbi { none, open_mpi, mpich, other };
/// Of this process. Cost: a look at all its libraries, until there is an MPI.
[[nodiscard]] MpiAbi loaded_abi() noexcept;

/// Of the mpi.h that this library is made with; in a process of another MPI library no handle may
/// be looked at.
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

/// Resolved at the first call, then one load. What is missing is looked for again: MPI may be
/// loaded later.
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

/// PMPI(Send)(...) calls PMPI_Send.
#define PMPI(name) (::commmap::hooks::mpi_function<"PMPI_" #name, decltype(MPI_##name)>())

/// Calls what the program would have called: MPI, or another tool's wrapper of it.
template <SymbolName name, class... Arguments>
inline int call_next(Arguments... arguments) {
    void* const next = resolved<name, find_next_symbol>();
    return reinterpret_cast<int (*)(Arguments...)>(next)(arguments...);
}

}  // namespace commmap::hooks
