// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace commmap::inside {

/// Ends the program where a rank cannot go on as the others do, with a line that says why. The
/// other members of a communicator would wait for ever for one that calls natively alone.
[[noreturn]] void end_program(MPI_Comm comm, const char* why = "no memory") noexcept;

}  // namespace commmap::inside
