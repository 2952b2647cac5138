#include "pmix_hooks/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace commmap::hooks {
namespace {

/// @param own  passed over when it is what is found
void* find_in_loaded_objects(const char* name, const void* own = nullptr) noexcept {
    void* program = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (program == nullptr) return nullptr;
    void* address = nullptr;
    link_map* object = nullptr;
    if (::dlinfo(program, RTLD_DI_LINKMAP, &object) == 0)
        for (; object != nullptr && address == nullptr; object = object->l_next) {
            if (object->l_name == nullptr || object->l_name[0] == '\0') continue;
            void* handle = ::dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
            if (handle == nullptr) continue;
            address = ::dlsym(handle, name);
            if (address == own) address = nullptr;
            ::dlclose(handle);  // only the count goes down: the object was loaded before
        }
    ::dlclose(program);
    return address;
}

}  // namespace

void* find_mpi_symbol(const char* name) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) address = find_in_loaded_objects(name);
    errno = saved_errno;
    return address;
}

void* find_next_symbol(const char* name, const void* own) noexcept {
    const int saved_errno = errno;
    void* address = ::dlsym(RTLD_NEXT, name);
    if (address == nullptr) address = find_in_loaded_objects(name, own);
    errno = saved_errno;
    return address;
}

namespace {

/// Stands for an MPI function that nobody has. MPI_ERR_OTHER: 15 in MPICH, 16 in Open MPI; any
/// non-zero value is a failure.
int nobody_has_it() noexcept { return 16; }

}  // namespace

void* require_mpi_symbol(const char* name) noexcept {
    void* address = find_mpi_symbol(name);
    if (address != nullptr) return address;
    // No PMPI layer: a serial stand-in for MPI, or a library that only looks whether there is an
    // MPI. Without us the call would have gone to the next MPI_x, or nowhere.
    if (std::strncmp(name, "PMPI", 4) == 0) {
        address = ::dlsym(RTLD_NEXT, name + 1);
        return address != nullptr ? address : reinterpret_cast<void*>(&nobody_has_it);
    }
    std::fprintf(stderr,
                 "commmap: the program's MPI library has no %s; run it without --commmap=profile\n",
                 name);
    std::abort();
}

bool is_open_mpi() noexcept { return find_mpi_symbol("ompi_mpi_comm_world") != nullptr; }

}  // namespace commmap::hooks
