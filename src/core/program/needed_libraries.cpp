// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/needed_libraries.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "core/base/handle.hpp"

namespace commmap {
namespace {

using ElfHandle = std::unique_ptr<Elf, FreeWith<::elf_end>>;

constexpr std::array<std::string_view, 14> runtimes = {
    "libc.so",        "libm.so",        "libpthread.so", "libdl.so",     "librt.so",
    "libutil.so",     "libresolv.so",   "ld-linux",      "libstdc++.so", "libgcc_s.so",
    "libgfortran.so", "libquadmath.so", "libgomp.so",    "libselinux.so"};

/// Programs that need only such libraries, but run another program, which may use MPI.
constexpr std::array<std::string_view, 18> starters = {
    "env",  "sh",      "dash",    "ksh",  "mksh",   "busybox", "nice",  "nohup",  "stdbuf",
    "time", "timeout", "taskset", "chrt", "ionice", "setsid",  "xargs", "chroot", "setarch"};

bool is_runtime(std::string_view library) {
    return std::any_of(runtimes.begin(), runtimes.end(),
                       [&](std::string_view name) { return library.starts_with(name); });
}

/// Calls `tell` with each library's name, until `tell` returns false.
template <class Tell>
void for_each_needed(const std::string& path, Tell&& tell) {
    if (elf_version(EV_CURRENT) == EV_NONE) return;
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return;
    const ElfHandle elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return;
    GElf_Shdr header;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
        Elf_Data* const entries = elf_getdata(section, nullptr);
        GElf_Dyn entry;
        for (int i = 0; entries != nullptr && gelf_getdyn(entries, i, &entry) != nullptr; ++i) {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag != DT_NEEDED) continue;
            const char* const library = elf_strptr(elf.get(), header.sh_link, entry.d_un.d_val);
            if (!tell(library == nullptr ? std::string_view() : std::string_view(library))) return;
        }
    }
}

/// Tells an MPI by the number that all libraries of its ABI have: libmpi.so.40, libmpi_mpifh.so.40;
/// libmpich.so.12, libmpichfort.so.12, libmpi_cray.so.12.
MpiKind kind_of(std::string_view library) {
    if (!library.starts_with("libmpi")) return MpiKind::unknown;
    if (library.find(".so.40") != std::string_view::npos) return MpiKind::open_mpi;
    return library.find(".so.12") != std::string_view::npos ? MpiKind::mpich : MpiKind::unknown;
}

}  // namespace

bool surely_without_mpi(const std::string& path) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (std::find(starters.begin(), starters.end(), name) != starters.end()) return false;
    bool any = false;
    bool only_runtimes = true;
    for_each_needed(path, [&](std::string_view library) {
        any = true;
        return only_runtimes = is_runtime(library);
    });
    return any && only_runtimes;
}

MpiKind needed_mpi(const std::string& path) {
    bool open_mpi = false;
    bool mpich = false;
    for_each_needed(path, [&](std::string_view library) {
        const MpiKind kind = kind_of(library);
        open_mpi = open_mpi || kind == MpiKind::open_mpi;
        mpich = mpich || kind == MpiKind::mpich;
        return true;
    });
    if (open_mpi == mpich) return MpiKind::unknown;
    return open_mpi ? MpiKind::open_mpi : MpiKind::mpich;
}

}  // namespace commmap
