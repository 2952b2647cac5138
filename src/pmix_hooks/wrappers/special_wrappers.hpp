#pragma once

#include <mpi.h>

#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/wrappers/call.hpp"

namespace commmap::hooks {

// Calls that the recorder does more at than note them; each returns what the call returned.

/// MPI_Init of Fortran may call that of C.
inline constinit thread_local bool in_init = false;

/// MPI_Init: a failed or repeated one starts nothing. The end is told by MPI (after_init()).
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
    ++call_depth;  // what another tool sends there is not the program's
    const int status = call();
    --call_depth;
    recorder.finalized();
    return status;
}

/// The end of a session: of a program that has made no MPI_Init until then nothing is recorded.
template <class Call>
int after_session(Call&& call) {
    const int status = call();
    recorder.after_session();
    return status;
}

}  // namespace commmap::hooks
