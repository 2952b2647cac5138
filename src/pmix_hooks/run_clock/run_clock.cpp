// libcommmap_clock.so, preloaded into rank 0 where history=mpi: takes the time from MPI_Init's
// return to MPI_Finalize's begin, and leaves it in a file for srun. It looks at no handle of MPI,
// so it serves each MPI library.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {
namespace {

std::atomic<std::int64_t> began_ns{0};  // 0: not yet, or taken already

std::int64_t now_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// history/new in a directory of profiles. That itself is not made: who has none has no runs to
/// compare.
void make_inbox_of(const std::string& path) {
    const std::string inbox = path.substr(0, path.rfind('/'));
    const std::string history = inbox.substr(0, inbox.rfind('/'));
    for (const std::string& directory : {history, inbox}) ::mkdir(directory.c_str(), 0700);
}

/// Whole or not at all. A time that cannot be written is missing, and nobody needs a line about
/// that.
void leave(const std::string& path, double seconds) {
    const std::string begun = path + ".new-" + std::to_string(::getpid());
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int file = ::open(begun.c_str(), flags, 0600);
    if (file < 0 && errno == ENOENT) {
        make_inbox_of(begun);
        file = ::open(begun.c_str(), flags, 0600);
    }
    if (file < 0) return;
    char line[48];
    const int length = std::snprintf(line, sizeof line, "%.9f\n", seconds);
    const bool is_whole = ::write(file, line, static_cast<std::size_t>(length)) == length;
    if (::close(file) != 0 || !is_whole || ::rename(begun.c_str(), path.c_str()) != 0)
        ::unlink(begun.c_str());
}

/// Fortran's MPI_Init may call C's: the outer one's end counts.
int started(int result) noexcept {
    if (result == 0) began_ns = now_ns();
    return result;
}

/// The outer one's begin counts.
void stop() noexcept {
    const std::int64_t began = began_ns.exchange(0);
    if (began == 0) return;
    const double seconds = static_cast<double>(now_ns() - began) * 1e-9;
    const int saved_errno = errno;
    const char* path = std::getenv("COMMMAP_CLOCK");
    try {
        if (path != nullptr && path[0] == '/') leave(path, seconds);
    } catch (...) {  // no memory: no time
    }
    errno = saved_errno;
}

using FortranCall = void (*)(void*);
using FortranThreadCall = void (*)(void*, void*, void*);

/// Of a function that takes the result last, which mpi_f08 may leave out.
template <SymbolName name, class Function, class... Arguments>
void call_of_fortran(int* error, Arguments... arguments) {
    static void* const next = find_next_symbol(name.text);
    int own_error = 0;
    int* const result = error == nullptr ? &own_error : error;
    if (next == nullptr) {
        *result = 16;  // MPI_ERR_OTHER, or another failure
        return;
    }
    reinterpret_cast<Function>(next)(arguments..., static_cast<void*>(result));
    started(*result);
}

template <SymbolName name>
void end_of_fortran(void* error) {
    stop();
    static void* const next = find_next_symbol(name.text);
    if (next != nullptr) reinterpret_cast<FortranCall>(next)(error);
}

}  // namespace
}  // namespace commmap::hooks

using commmap::hooks::call_next;
using commmap::hooks::call_of_fortran;
using commmap::hooks::end_of_fortran;
using commmap::hooks::FortranCall;
using commmap::hooks::FortranThreadCall;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
    return commmap::hooks::started(call_next<"MPI_Init">(argc, argv));
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return commmap::hooks::started(call_next<"MPI_Init_thread">(argc, argv, required, provided));
}

int MPI_Finalize(void) {
    commmap::hooks::stop();
    return call_next<"MPI_Finalize">();
}

// NOLINTBEGIN(readability-identifier-naming): as Fortran calls them
void mpi_init_(int* error) { call_of_fortran<"mpi_init_", FortranCall>(error); }
void mpi_init_f08_(int* error) { call_of_fortran<"mpi_init_f08_", FortranCall>(error); }
void mpi_init_thread_(void* required, void* provided, int* error) {
    call_of_fortran<"mpi_init_thread_", FortranThreadCall>(error, required, provided);
}
void mpi_init_thread_f08_(void* required, void* provided, int* error) {
    call_of_fortran<"mpi_init_thread_f08_", FortranThreadCall>(error, required, provided);
}
void mpi_finalize_(void* error) { end_of_fortran<"mpi_finalize_">(error); }
void mpi_finalize_f08_(void* error) { end_of_fortran<"mpi_finalize_f08_">(error); }
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
#pragma GCC visibility pop
