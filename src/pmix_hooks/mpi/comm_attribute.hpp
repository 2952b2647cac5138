#pragma once

#include <mpi.h>

namespace commmap::hooks {

/// A copy does not get the attribute. MPI's own function for that would be an
/// undefined symbol of ours.
template <class Handle>
int copy_nothing(Handle, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

}  // namespace commmap::hooks
