// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/end_program.hpp"

#include <cstdlib>

#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/process/print_line.hpp"

namespace commmap::inside {

void end_program(MPI_Comm comm, const char* why) noexcept {
    hooks::print_line("a collective call cannot be made, and the program ends: ", why);
    PMPI(Abort)(comm, 1);
    std::abort();
}

}  // namespace commmap::inside
