// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "core/base/mpi_kind.hpp"

namespace commmap {

/// Tells whether a program surely does not use MPI. Such a program is a dynamic ELF file that needs
/// only the runtime libraries of C, C++, Fortran and OpenMP. Programs that just start another one
/// (env, sh, timeout) are no such programs. In doubt false, because MPI may hide behind any other
/// library, in a static program, or behind an interpreter.
/// Cost: only headers are read.
[[nodiscard]] bool surely_without_mpi(const std::string& path);

/// Returns the MPI library with which a dynamic ELF file itself is linked. unknown: with none or
/// with two. MPI may still come in through another library, by dlopen, or in a program that this
/// one starts.
/// Cost: only headers are read.
[[nodiscard]] MpiKind needed_mpi(const std::string& path);

}  // namespace commmap
