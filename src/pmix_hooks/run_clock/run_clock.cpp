// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// libcommmap_clock.so is preloaded into rank 0 where history=mpi.
// It takes the time from MPI_Init's return to MPI_Finalize's beginning, and leaves that time in a
// file for srun.
// It looks at no handle of MPI, so it serves each MPI library.
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/file.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/process/environment.hpp"

namespace commmap::hooks {
namespace {

/// Id of the timed process: a forked child has no time of its own.
std::atomic<pid_t> timed_process{0};
std::atomic<std::int64_t> began_ns{0};
std::atomic<std::int64_t> took_ns{0};

std::int64_t now_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Returns the path of the file for the time; empty: there is none. Never destroyed, for a program
/// may end MPI in an exit handler.
std::string& file_of_time() {
    static auto* const path = new std::string;
    return *path;
}

/// Hides this library and its file from processes that this process starts: they may be other MPI
/// programs.
void keep_from_children() {
    leave_preload();
    char* const path = std::getenv("COMMMAP_CLOCK");
    if (path == nullptr) return;
    if (path[0] == '/') file_of_time() = path;
    path[0] = '\0';  // in place, for other threads may be reading the environment
}

/// Writes the time into the file.
/// A script may have started several MPI programs one after the other. Then the file gets the word
/// "several", for the run has no single time.
void leave_time(std::int64_t elapsed_ns) {
    const std::string& path = file_of_time();
    const std::size_t end_of_inbox = path.rfind('/');
    const std::size_t end_of_history = path.rfind('/', end_of_inbox - 1);
    if (end_of_history == std::string::npos) return;
    // A user without these directories, or with another user's, has no runs to compare.
    for (const std::size_t end : {end_of_history, end_of_inbox})
        if (!is_own_directory(path.substr(0, end))) return;
    std::array<char, 48> line{};
    std::snprintf(line.data(), line.size(), "%.9f\n", static_cast<double>(elapsed_ns) * 1e-9);
    const std::string begun = path + ".new-" + std::to_string(::getpid());
    if (!write_file_atomically(begun, line.data(), 0600, Sync::no)) return;
    const bool is_second = ::link(begun.c_str(), path.c_str()) != 0 && errno == EEXIST;
    ::unlink(begun.c_str());
    if (is_second) static_cast<void>(write_file_atomically(path, "several\n", 0600, Sync::no));
}

/// Begins the time at the end of MPI_Init. Fortran's MPI_Init may call C's; the end of the outer
/// call counts.
int started(int result) noexcept {
    if (result != 0) return result;
    const int saved_errno = errno;
    try {
        keep_from_children();
        timed_process = ::getpid();
    } catch (...) {  // no memory: no time
    }
    errno = saved_errno;
    began_ns = now_ns();
    return result;
}

/// Ends the time at the beginning of MPI_Finalize; the beginning of the outer call counts.
void ending() noexcept {
    if (timed_process != ::getpid()) return;
    if (const std::int64_t began = began_ns.exchange(0); began != 0) took_ns = now_ns() - began;
}

/// Leaves the time when MPI_Finalize is over. No other rank waits for this one then, so the file
/// system may take its time.
void ended() noexcept {
    const std::int64_t elapsed_ns = took_ns.exchange(0);
    if (elapsed_ns == 0 || timed_process != ::getpid()) return;
    const int saved_errno = errno;
    try {
        leave_time(elapsed_ns);
    } catch (...) {  // no memory: no time
    }
    errno = saved_errno;
}

using FortranCall = void (*)(void*);
using FortranThreadCall = void (*)(void*, void*, void*);

/// Calls a Fortran function whose last argument is the result, which mpi_f08 may leave out.
/// Returns the result, or a failure where there is no such function.
template <SymbolName name, class Function, class... Arguments>
int call_of_fortran(int* error, Arguments... arguments) {
    static void* const next = find_next_symbol(name.text);
    std::int64_t own_error = 0;  // an INTEGER may have eight bytes
    int* const result = error == nullptr ? reinterpret_cast<int*>(&own_error) : error;
    if (next == nullptr) return *result = 16;  // MPI_ERR_OTHER, or another failure
    reinterpret_cast<Function>(next)(arguments..., static_cast<void*>(result));
    return *result;
}

template <SymbolName name>
void finalize_of_fortran(int* error) {
    ending();
    call_of_fortran<name, FortranCall>(error);
    ended();
}

}  // namespace
}  // namespace commmap::hooks

using commmap::hooks::call_next;
using commmap::hooks::call_of_fortran;
using commmap::hooks::ended;
using commmap::hooks::ending;
using commmap::hooks::finalize_of_fortran;
using commmap::hooks::FortranCall;
using commmap::hooks::FortranThreadCall;
using commmap::hooks::started;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) { return started(call_next<"MPI_Init">(argc, argv)); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return started(call_next<"MPI_Init_thread">(argc, argv, required, provided));
}

int MPI_Finalize(void) {
    ending();
    const int result = call_next<"MPI_Finalize">();
    ended();
    return result;
}

// NOLINTBEGIN(readability-identifier-naming): as Fortran calls them
void mpi_init_(int* error) { started(call_of_fortran<"mpi_init_", FortranCall>(error)); }
void mpi_init_f08_(int* error) { started(call_of_fortran<"mpi_init_f08_", FortranCall>(error)); }
void mpi_init_thread_(void* required, void* provided, int* error) {
    started(call_of_fortran<"mpi_init_thread_", FortranThreadCall>(error, required, provided));
}
void mpi_init_thread_f08_(void* required, void* provided, int* error) {
    started(call_of_fortran<"mpi_init_thread_f08_", FortranThreadCall>(error, required, provided));
}
void mpi_finalize_(int* error) { finalize_of_fortran<"mpi_finalize_">(error); }
void mpi_finalize_f08_(int* error) { finalize_of_fortran<"mpi_finalize_f08_">(error); }
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
#pragma GCC visibility pop
