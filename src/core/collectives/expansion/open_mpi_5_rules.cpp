// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/expansion/rules.hpp"

namespace commmap {

// Says which collectives Open MPI 5.0 does by coll/han, whose priority (35) is above that of
// coll/tuned (30).
// Source: ompi/mca/coll/han/coll_han_module.c, coll_han_dynamic.c.
bool open_mpi_5_has_two_levels(CollectiveOp op, bool equal_nodes) {
    switch (op) {
        case CollectiveOp::barrier:
        case CollectiveOp::allreduce:
            return true;
        case CollectiveOp::bcast:
        case CollectiveOp::reduce:
        case CollectiveOp::gather:
        case CollectiveOp::scatter:
        case CollectiveOp::allgather:
            return equal_nodes;
        default:
            return false;
    }
}

}  // namespace commmap
