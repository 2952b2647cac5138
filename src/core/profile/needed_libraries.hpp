#pragma once

#include <string>

namespace commmap {

/// Whether a program is surely none of MPI: a dynamic ELF file that needs no library beyond the
/// runtimes of C, C++, Fortran and OpenMP, and is none that only starts another one (env, sh,
/// timeout). In doubt false: MPI may hide behind any other library, in a static program, behind an
/// interpreter. Cost: headers only.
[[nodiscard]] bool surely_without_mpi(const std::string& path);

}  // namespace commmap
