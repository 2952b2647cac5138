#pragma once

#include <mpi.h>

namespace commmap::hooks {

/// A communicator's copy does not get the attribute. MPI's own function for that would be an
/// undefined symbol of ours.
inline int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

}  // namespace commmap::hooks
