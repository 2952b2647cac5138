// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The functions of MPI's C interface that this library stands in for.
#include <mpi.h>

#include "pmix_hooks/inside/communicators/tuned_variables.hpp"
#include "pmix_hooks/inside/wrappers/init_call.hpp"
#include "pmix_hooks/inside/wrappers/run_bcast.hpp"
#include "pmix_hooks/inside/wrappers/run_blocks.hpp"
#include "pmix_hooks/inside/wrappers/run_reductions.hpp"

using namespace commmap::inside;
using commmap::hooks::call_next;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
    return initialised([&] { return call_next<"MPI_Init">(argc, argv); });
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return initialised(
        [&] { return call_next<"MPI_Init_thread">(argc, argv, required, provided); });
}

// A communicator that is made in the background would keep what is meant for another one.
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    TunedVariables::leave_alone();
    return call_next<"MPI_Comm_idup">(comm, made, request);
}

// NOLINTNEXTLINE(readability-identifier-naming): MPI 4's name, which Open MPI 4.1 does not declare
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
    TunedVariables::leave_alone();
    return call_next<"MPI_Comm_idup_with_info">(comm, info, made, request);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return run_bcast(buffer, {count, type, comm}, root,
                     [&] { return call_next<"MPI_Bcast">(buffer, count, type, root, comm); });
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    return run_allgather({send, send_count, send_type}, receive,
                         {receive_count, receive_type, comm}, [&] {
                             return call_next<"MPI_Allgather">(send, send_count, send_type, receive,
                                                               receive_count, receive_type, comm);
                         });
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    return run_alltoall({send, send_count, send_type}, receive, {receive_count, receive_type, comm},
                        [&] {
                            return call_next<"MPI_Alltoall">(send, send_count, send_type, receive,
                                                             receive_count, receive_type, comm);
                        });
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    return run_reduce(send, receive, {count, type, comm}, op, root, [&] {
        return call_next<"MPI_Reduce">(send, receive, count, type, op, root, comm);
    });
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    return run_allreduce(send, receive, {count, type, comm}, op, [&] {
        return call_next<"MPI_Allreduce">(send, receive, count, type, op, comm);
    });
}

}  // extern "C"
#pragma GCC visibility pop
