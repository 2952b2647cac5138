// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/expansion/schedule_table.hpp"

#include <array>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

namespace {

constexpr std::string_view thakur = "Thakur, Rabenseifner, Gropp 2005";
constexpr std::string_view open_mpi = "Open MPI 4.1, coll/base";
constexpr std::string_view mpich = "MPICH 4.0";

constexpr std::array table{
    ScheduleInfo{"barrier_dissemination", CollectiveOp::barrier, "Hensgen, Finkel, Manber 1988",
                 barrier_dissemination},
    ScheduleInfo{"barrier_recursive_doubling", CollectiveOp::barrier, thakur,
                 barrier_recursive_doubling},
    ScheduleInfo{"bcast_linear", CollectiveOp::bcast, open_mpi, bcast_linear},
    ScheduleInfo{"bcast_binomial", CollectiveOp::bcast, thakur, bcast_binomial},
    ScheduleInfo{"bcast_chain", CollectiveOp::bcast, open_mpi, bcast_chain},
    ScheduleInfo{"bcast_scatter_allgather", CollectiveOp::bcast, thakur, bcast_scatter_allgather},
    ScheduleInfo{"bcast_scatter_ring", CollectiveOp::bcast, thakur, bcast_scatter_ring},
    ScheduleInfo{"reduce_linear", CollectiveOp::reduce, open_mpi, reduce_linear},
    ScheduleInfo{"reduce_binomial", CollectiveOp::reduce, thakur, reduce_binomial},
    ScheduleInfo{"reduce_chain", CollectiveOp::reduce, open_mpi, reduce_chain},
    ScheduleInfo{"reduce_scatter_gather", CollectiveOp::reduce, thakur, reduce_scatter_gather},
    ScheduleInfo{"allreduce_recursive_doubling", CollectiveOp::allreduce, thakur,
                 allreduce_recursive_doubling},
    ScheduleInfo{"allreduce_ring", CollectiveOp::allreduce, "Patarasuk, Yuan 2009", allreduce_ring},
    ScheduleInfo{"allreduce_rabenseifner", CollectiveOp::allreduce, "Rabenseifner 2004",
                 allreduce_rabenseifner},
    ScheduleInfo{"allreduce_nonoverlapping", CollectiveOp::allreduce, open_mpi,
                 allreduce_nonoverlapping},
    ScheduleInfo{"gather_linear", CollectiveOp::gather, open_mpi, gather_linear},
    ScheduleInfo{"gather_binomial", CollectiveOp::gather, thakur, gather_binomial},
    ScheduleInfo{"scatter_linear", CollectiveOp::scatter, open_mpi, scatter_linear},
    ScheduleInfo{"scatter_binomial", CollectiveOp::scatter, thakur, scatter_binomial},
    ScheduleInfo{"allgather_recursive_doubling", CollectiveOp::allgather, thakur,
                 allgather_recursive_doubling},
    ScheduleInfo{"allgather_bruck", CollectiveOp::allgather, "Bruck et al. 1997", allgather_bruck},
    ScheduleInfo{"allgather_ring", CollectiveOp::allgather, thakur, allgather_ring},
    ScheduleInfo{"alltoall_bruck", CollectiveOp::alltoall, "Bruck et al. 1997", alltoall_bruck},
    ScheduleInfo{"alltoall_pairwise", CollectiveOp::alltoall, thakur, alltoall_pairwise, true},
    ScheduleInfo{"reduce_scatter_halving", CollectiveOp::reduce_scatter, thakur,
                 reduce_scatter_halving},
    ScheduleInfo{"reduce_scatter_ring", CollectiveOp::reduce_scatter, "Patarasuk, Yuan 2009",
                 reduce_scatter_ring},
    ScheduleInfo{"reduce_scatter_pairwise", CollectiveOp::reduce_scatter, thakur,
                 reduce_scatter_pairwise, true},
    ScheduleInfo{"scan_linear", CollectiveOp::scan, open_mpi, scan_linear},
    ScheduleInfo{"scan_recursive_doubling", CollectiveOp::scan, mpich, scan_recursive_doubling},
    ScheduleInfo{"exscan_linear", CollectiveOp::exscan, open_mpi, scan_linear},
    ScheduleInfo{"exscan_recursive_doubling", CollectiveOp::exscan, mpich, scan_recursive_doubling},
    ScheduleInfo{"neighbor_allgather_recorded", CollectiveOp::neighbor_allgather, "",
                 neighbor_recorded},
    ScheduleInfo{"neighbor_alltoall_recorded", CollectiveOp::neighbor_alltoall, "",
                 neighbor_recorded},
};

}  // namespace

std::span<const ScheduleInfo> schedule_table() { return table; }

}  // namespace commmap
