// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/base/handle.hpp"

namespace commmap {

/// Makes a file in memory from which nothing can be executed. Kernels since 6.3 may insist on that
/// (vm.memfd_noexec); older kernels do not know the flag.
/// @param name   shown in /proc only
/// @param flags  of memfd_create(2)
/// @return       owns nothing when there is no memory; errno says why
[[nodiscard]] FileDescriptor memory_file(const char* name, unsigned flags);

}  // namespace commmap
