// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace commmap::hooks {

/// Copy callback of an attribute: a duplicated communicator does not get the attribute.
/// MPI's own function for this purpose would be an undefined symbol of this library.
template <class Handle>
int copy_nothing(Handle, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

}  // namespace commmap::hooks
