#include "pmix_hooks/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

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
        ::dlclose(handle);  // only the count goes down: the object was loaded before
    }
    return address;
}

/// Stands for an MPI function that nobody has. MPI_ERR_OTHER: 15 in MPICH, 16 in Open MPI; any
/// non-zero value is a failure.
int nobody_has_it() noexcept { return 16; }

void* or_a_failure(void* function) noexcept {
    return function != nullptr ? function : reinterpret_cast<void*>(&nobody_has_it);
}

}  // namespace

void* find_mpi_symbol(const char* name) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) address = find_from(first_object(), name);
    errno = saved_errno;
    return address;
}

void* find_next_symbol(const char* name, const void* own) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_NEXT, name);
    Dl_info info{};
    void* mine = nullptr;
    if (address == nullptr && ::dladdr1(own, &info, &mine, RTLD_DL_LINKMAP) != 0 && mine != nullptr)
        address = find_from(static_cast<link_map*>(mine)->l_next, name);  // never back to us
    errno = saved_errno;
    return address;
}

void* find_mpi_function(const char* name) noexcept { return or_a_failure(find_mpi_symbol(name)); }

void* find_next_function(const char* name, const void* own) noexcept {
    return or_a_failure(find_next_symbol(name, own));
}

void* require_mpi_object(const char* name) noexcept {
    void* address = find_mpi_symbol(name);
    if (address != nullptr) return address;
    std::fprintf(stderr,
                 "commmap: the program's MPI library has no %s; run it without --commmap=profile\n",
                 name);
    std::abort();
}

MpiAbi loaded_abi() noexcept {
    if (find_mpi_symbol("ompi_mpi_comm_world") != nullptr) return MpiAbi::open_mpi;
    void* known = find_mpi_symbol("PMPI_Get_library_version");
    if (known == nullptr) return MpiAbi::none;
    Dl_info info{};
    if (::dladdr(known, &info) == 0 || info.dli_fname == nullptr) return MpiAbi::other;
    const std::string_view path(info.dli_fname);
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.find(".so.12") == std::string_view::npos ? MpiAbi::other : MpiAbi::mpich;
}

}  // namespace commmap::hooks
