#include "pmix_hooks/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace commmap::hooks {
namespace {

void* find_in_loaded_objects(const char* name) noexcept {
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

void* require_mpi_symbol(const char* name) noexcept {
    void* address = find_mpi_symbol(name);
    if (address != nullptr) return address;
    std::fprintf(stderr,
                 "commmap: the program's MPI library has no %s; run it without --commmap=profile\n",
                 name);
    std::abort();
}

bool is_open_mpi() noexcept { return find_mpi_symbol("ompi_mpi_comm_world") != nullptr; }

}  // namespace commmap::hooks
