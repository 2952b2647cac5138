// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/wrappers/call.hpp"

namespace commmap::hooks {

// Wrappers of calls at which the recorder begins or ends; each returns what the call returned.

/// This thread is inside of MPI_Init: Fortran's MPI_Init may call C's.
inline constinit thread_local bool in_init = false;

/// Wraps MPI_Init: a call that fails or is repeated starts nothing. MPI itself tells the end of the
/// recording (after_init()).
template <class Call>
int recorded_from_here(Call&& call) {
    if (in_init) return call();
    in_init = true;
    recorder.before_init();
    const int status = call();
    recorder.after_init(status == MPI_SUCCESS);
    in_init = false;
    return status;
}

template <class Call>
int recorded_until_here(Call&& call) {
    recorder.finish_if_mpi_will_not();
    ++call_depth;  // other tools' messages in MPI_Finalize are not the program's
    const int status = call();
    --call_depth;
    recorder.finalized();
    return status;
}

/// Wraps the end of a session. A program that has made no MPI_Init until then is not recorded.
template <class Call>
int after_session(Call&& call) {
    const int status = call();
    recorder.after_session();
    return status;
}

}  // namespace commmap::hooks
