// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/mpi/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace commmap::hooks {
namespace {

link_map* first_object() noexcept {
    void* program = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
    link_map* object = nullptr;
    if (program == nullptr) return nullptr;
    if (::dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) object = nullptr;
    ::dlclose(program);
    return object;
}

void* find_from(const link_map* object, const char* name) noexcept {
    void* address = nullptr;
    for (; object != nullptr && address == nullptr; object = object->l_next) {
        if (object->l_name == nullptr || object->l_name[0] == '\0') continue;
        void* handle = ::dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        address = ::dlsym(handle, name);
        ::dlclose(handle);  // only lowers the count: the object was loaded before
    }
    return address;
}

/// Stands for a missing MPI function, and returns a failure: any non-zero value is one.
/// MPI_ERR_OTHER is 15 in MPICH, 16 in Open MPI.
int nobody_has_it() noexcept { return 16; }

/// Returns the library in which an address lies; null for none.
const link_map* object_of(const void* address) noexcept {
    Dl_info info{};
    void* object = nullptr;
    if (::dladdr1(address, &info, &object, RTLD_DL_LINKMAP) == 0) return nullptr;
    return static_cast<const link_map*>(object);
}

/// Returns the name that a library gives itself, else the name by which it was opened.
std::string_view library_name(const link_map* object) noexcept {
    if (object == nullptr) return {};
    ElfW(Addr) names = 0;
    ElfW(Addr) name = 0;
    for (const auto* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
    }
    if (names != 0 && name != 0) {
        if (names < object->l_addr) names += object->l_addr;  // an offset on some machines
        return std::bit_cast<const char*>(names + name);
    }
    const std::string_view path(object->l_name);
    return path.substr(path.rfind('/') + 1);
}

MpiAbi find_abi() noexcept {
    if (find_mpi_symbol("ompi_mpi_comm_world") != nullptr) return MpiAbi::open_mpi;
    const void* known = find_mpi_symbol("PMPI_Get_library_version");
    if (known == nullptr) return MpiAbi::none;
    return library_name(object_of(known)).ends_with(".so.12") ? MpiAbi::mpich : MpiAbi::other;
}

}  // namespace

void* find_mpi_symbol(const char* name) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) address = find_from(first_object(), name);
    errno = saved_errno;
    return address;
}

void* find_next_symbol(const char* name) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_NEXT, name);
    if (address == nullptr) {
        // The address of a function that is not exported: that of an exported one may lie in
        // another library.
        const link_map* mine = object_of(reinterpret_cast<const void*>(&nobody_has_it));
        if (mine != nullptr) address = find_from(mine->l_next, name);
    }
    errno = saved_errno;
    return address;
}

void* find_behind_recorders(const char* name) noexcept {
    void* address = find_next_symbol(name);
    const int saved_errno = errno;
    const link_map* object = object_of(address);
    while (library_name(object).starts_with("libcommmap_hooks_")) {
        address = find_from(object->l_next, name);
        object = object_of(address);
    }
    errno = saved_errno;
    return address;
}

void* missing_function() noexcept { return reinterpret_cast<void*>(&nobody_has_it); }

void* require_mpi_object(const char* name) noexcept {
    void* address = find_mpi_symbol(name);
    if (address != nullptr) return address;
    std::fprintf(stderr,
                 "commmap: the program's MPI library has no %s; run it with --commmap=off\n", name);
    std::abort();
}

MpiAbi loaded_abi() noexcept {
    static std::atomic<MpiAbi> known{MpiAbi::none};
    MpiAbi abi = known.load(std::memory_order_relaxed);
    if (abi == MpiAbi::none) {
        abi = find_abi();
        known.store(abi, std::memory_order_relaxed);
    }
    return abi;
}

}  // namespace commmap::hooks
