#pragma once

#include "core/base/handle.hpp"

namespace commmap {

/// A file in memory that nothing can be executed from, which a kernel may insist on
/// (vm.memfd_noexec). Kernels before 6.3 do not know of that.
/// @param name   for /proc alone
/// @param flags  of memfd_create(2)
/// @return       owns nothing where there is no memory: see errno
[[nodiscard]] FileDescriptor memory_file(const char* name, unsigned flags);

}  // namespace commmap
