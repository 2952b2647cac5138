#include "pmix_hooks/fortran_call.hpp"

#include <dlfcn.h>

#include <cerrno>

namespace commmap::hooks {

FortranFunction find_fortran_function(const char* name, const void* own) noexcept {
    FortranFunction found{find_next_symbol(name, own), false};
    const int saved_errno = errno;
    Dl_info info{};
    if (found.address != nullptr && ::dladdr(found.address, &info) != 0) {
        // Its bindings need the library that has the handles.
        if (void* object = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
            constexpr const char* its_own = "PMPI_Get_library_version";
            void* const library = ::dlsym(object, its_own);
            found.is_ours = library != nullptr && library == find_mpi_symbol(its_own) &&
                            loaded_abi() == own_abi;
            ::dlclose(object);
        }
    }
    errno = saved_errno;
    return found;
}

}  // namespace commmap::hooks
