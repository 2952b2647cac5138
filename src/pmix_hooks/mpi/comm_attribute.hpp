// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {

/// Copy callback of an attribute: a duplicated communicator does not get the attribute.
/// MPI's own function for this purpose would be an undefined symbol of this library.
template <class Handle>
int copy_nothing(Handle, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

/// Has MPI_Finalize call a function before anything else, by whatever name the program calls
/// MPI_Finalize: MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
/// @return  false where MPI refuses
[[nodiscard]] inline bool call_at_finalize(MPI_Comm_delete_attr_function* function) noexcept {
    int keyval = MPI_KEYVAL_INVALID;
    if (PMPI(Comm_create_keyval)(copy_nothing<MPI_Comm>, function, &keyval, nullptr) != MPI_SUCCESS)
        return false;
    const bool set = PMPI(Comm_set_attr)(comm_self(), keyval, nullptr) == MPI_SUCCESS;
    PMPI(Comm_free_keyval)(&keyval);  // takes effect when the attribute is gone
    return set;
}

}  // namespace commmap::hooks
