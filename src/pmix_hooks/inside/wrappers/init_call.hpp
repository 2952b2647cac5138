// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/inside/inside.hpp"

namespace commmap::inside {

/// Makes a call of MPI_Init or MPI_Init_thread. A Fortran form may call the C form inside of it:
/// only the outer one counts.
template <class Call>
int initialised(Call&& call) {
    static thread_local int depth = 0;
    if (depth > 0) return call();
    ++depth;
    inside.before_init();
    const int status = call();
    inside.after_init(status == MPI_SUCCESS);
    --depth;
    return status;
}

}  // namespace commmap::inside
