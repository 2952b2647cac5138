// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/wrappers/fortran_call.hpp"

#include <dlfcn.h>

#include <cerrno>

namespace commmap::hooks {
namespace {

/// Returns whether a library is, or needs, the MPI library whose handles are ours.
bool is_of_our_mpi(const char* library) noexcept {
    void* object = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) return false;
    constexpr const char* its_own = "PMPI_Get_library_version";
    const void* found = ::dlsym(object, its_own);
    ::dlclose(object);
    return found != nullptr && found == find_mpi_symbol(its_own) && loaded_abi() == own_abi;
}

}  // namespace

FortranFunction find_fortran_function(const char* name) noexcept {
    FortranFunction found{find_next_symbol(name), false};
    const int saved_errno = errno;
    Dl_info info{};
    // The recorder for the other kind of MPI passes its arguments on to the function behind it.
    const void* last = find_behind_recorders(name);
    if (last != nullptr && ::dladdr(last, &info) != 0)
        found.is_ours = is_of_our_mpi(info.dli_fname);
    errno = saved_errno;
    return found;
}

}  // namespace commmap::hooks
