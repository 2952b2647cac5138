// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/wrappers/pcontrol.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>

#include "pmix_hooks/counting/phase_log.hpp"
#include "pmix_hooks/process/errno_saved.hpp"
#include "pmix_hooks/wrappers/call.hpp"
#include "pmix_hooks/wrappers/fortran_call.hpp"
#include "pmix_hooks/wrappers/special_wrappers.hpp"

namespace commmap::hooks {
namespace {

/// A piece of memory, divided at the end of its first page.
/// A text may end where its page ends, and a transfer ends in front of a piece that cannot be read.
struct Pieces {
    Pieces(const void* from, std::size_t size) noexcept {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t first =
            std::min(size, page - reinterpret_cast<std::uintptr_t>(from) % page);
        auto* const begin = const_cast<char*>(static_cast<const char*>(from));
        of[0] = {begin, first};
        of[1] = {begin + first, size - first};
    }
    iovec of[2];
};

/// Reads memory where process_vm_readv is forbidden (seccomp in containers).
std::size_t read_through_pipe(const Pieces& pieces, char* to, std::size_t size) noexcept {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
    for (const iovec& piece : pieces.of)
        if (::write(ends[1], piece.iov_base, piece.iov_len) != static_cast<ssize_t>(piece.iov_len))
            break;
    const ssize_t got = ::read(ends[0], to, size);
    ::close(ends[0]);
    ::close(ends[1]);
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

/// Copies the bytes that can be read from there on, and returns their number.
std::size_t read_memory(const void* from, char* to, std::size_t size) noexcept {
    const Pieces pieces(from, size);
    const iovec here{to, size};
    const ssize_t got = ::process_vm_readv(::getpid(), &here, 1, pieces.of, 2, 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    return errno == EFAULT ? 0 : read_through_pipe(pieces, to, size);
}

/// Fortran passes the length of a text behind all other arguments. A length above this one is what
/// happened to stand there: mostly an address.
constexpr std::size_t longest_fortran_text = std::size_t{1} << 20U;

/// Wraps Fortran's MPI_Pcontrol, which has no result. The form without a second argument ignores
/// one.
template <SymbolName name>
void fortran_pcontrol(const MPI_Fint* level, const void* perhaps_label,
                      std::size_t perhaps_length) {
    note_pcontrol(*level, perhaps_length > longest_fortran_text ? nullptr : perhaps_label,
                  perhaps_length);
    using Function = void (*)(const MPI_Fint*, const void*, std::size_t);
    static const FortranFunction function = find_fortran_function(name.text);
    ++call_depth;
    if (function.address != nullptr)
        reinterpret_cast<Function>(function.address)(level, perhaps_label, perhaps_length);
    --call_depth;
}

}  // namespace

bool copy_label(const void* from, char* to, std::size_t size) noexcept {
    const ErrnoSaved errno_saved;
    if (from == nullptr) return false;
    const std::size_t got = read_memory(from, to, size - 1);
    std::size_t length = 0;
    while (length < got && to[length] != '\0') {
        if (to[length] < ' ' || to[length] > '~') return false;
        ++length;
    }
    to[length] = '\0';
    return length > 0 && (length < got || got == size - 1);
}

void note_pcontrol(int level, const void* perhaps_label, std::size_t longest) noexcept {
    if (!recorder.recording() || call_depth > 0) return;
    char label[PhaseLog::label_bytes];
    const bool labelled = (level == 1 || level == -1) &&
                          copy_label(perhaps_label, label, sizeof label) &&
                          std::strlen(label) <= longest;
    if (!labelled)
        recorder.phases().set_level(std::max(level, 0));
    else if (level == 1)
        recorder.phases().begin_label(label);
    else
        recorder.phases().end_label(label);
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

#pragma GCC visibility push(default)

extern "C" int MPI_Pcontrol(const int level, ...) {
    va_list arguments;
    va_start(arguments, level);
    const void* const perhaps_label = va_arg(arguments, const void*);
    va_end(arguments);
    note_pcontrol(level, perhaps_label, SIZE_MAX);
    // A variadic function must be called as one. A tool behind us gets a possible label, and
    // nothing more.
    using Variadic = int (*)(int, ...);
    ++call_depth;
    const int status = reinterpret_cast<Variadic>(resolved<"MPI_Pcontrol", find_next_symbol>())(
        level, perhaps_label);
    --call_depth;
    return status;
}

// NOLINTNEXTLINE(readability-identifier-naming): a symbol of MPI
extern "C" void mpi_pcontrol_(const MPI_Fint* level, const void* perhaps_label,
                              std::size_t perhaps_length) {
    fortran_pcontrol<"mpi_pcontrol_">(level, perhaps_label, perhaps_length);
}

// NOLINTNEXTLINE(readability-identifier-naming): a symbol of MPI
extern "C" void mpi_pcontrol_f08_(const MPI_Fint* level) {
    fortran_pcontrol<"mpi_pcontrol_f08_">(level, nullptr, 0);
}
