// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The functions of Open MPI's Fortran interfaces that this library stands in for: they do not call
// the C functions. MPICH's do.
#include <mpi.h>

#include "pmix_hooks/mpi/mpi_library.hpp"

#if defined(OPEN_MPI)

#include "pmix_hooks/inside/communicators/tuned_variables.hpp"
#include "pmix_hooks/inside/wrappers/init_call.hpp"
#include "pmix_hooks/inside/wrappers/run_bcast.hpp"
#include "pmix_hooks/inside/wrappers/run_blocks.hpp"
#include "pmix_hooks/inside/wrappers/run_reductions.hpp"
#include "pmix_hooks/wrappers/fortran_call.hpp"

namespace commmap::inside {
namespace {

using hooks::call_fortran;
using hooks::from_fortran;
using hooks::SymbolName;

/// Returns a buffer as C has it. Fortran's MPI_BOTTOM is a variable in a common block of that name.
void* buffer_of(void* buffer) noexcept {
    static const void* const bottom = hooks::find_mpi_symbol("mpi_fortran_bottom_");
    if (bottom != nullptr && buffer == bottom) return MPI_BOTTOM;
    return const_cast<void*>(hooks::fortran_buffer(buffer));
}

int number(const void* integer) noexcept { return *static_cast<const MPI_Fint*>(integer); }

Data data_of(const void* count, const void* type, const void* comm) noexcept {
    return {number(count), from_fortran<MPI_Datatype>(type), from_fortran<MPI_Comm>(comm)};
}

/// Makes a call of a program in Fortran. Fortran gets the result as its last argument, which
/// mpi_f08 may leave out.
/// @param native  makes the program's own call, and tells its result
/// @param run     runs the call, given a native one; its result is told here unless it was native
template <class Native, class Run>
void call_in_fortran(MPI_Fint* error, Native&& native, Run&& run) {
    if (!inside.is_active()) {  // handles may be of another library, and not be converted
        native();
        return;
    }
    bool was_native = false;
    const int status = run([&] {
        was_native = true;
        return native();
    });
    if (!was_native && error != nullptr) *error = status;
}

template <SymbolName name, class... Arguments>
void initialised_in_fortran(MPI_Fint* error, Arguments... arguments) {
    initialised([&] { return call_fortran<name>(error, arguments...); });
}

template <SymbolName name>
void bcast_in_fortran(void* buffer, void* count, void* type, void* root, void* comm,
                      MPI_Fint* error) {
    call_in_fortran(
        error, [&] { return call_fortran<name>(error, buffer, count, type, root, comm); },
        [&](auto native) {
            return run_bcast(buffer_of(buffer), data_of(count, type, comm), number(root), native);
        });
}

Sent sent_of(void* buffer, const void* count, const void* type) noexcept {
    return {buffer_of(buffer), number(count), from_fortran<MPI_Datatype>(type)};
}

/// @tparam op  allgather or alltoall, which have the same arguments
template <SymbolName name, CollectiveOp op>
void blocks_in_fortran(void* send, void* send_count, void* send_type, void* receive,
                       void* receive_count, void* receive_type, void* comm, MPI_Fint* error) {
    call_in_fortran(
        error,
        [&] {
            return call_fortran<name>(error, send, send_count, send_type, receive, receive_count,
                                      receive_type, comm);
        },
        [&](auto native) {
            const Sent sent = sent_of(send, send_count, send_type);
            void* const blocks = buffer_of(receive);
            const Data data = data_of(receive_count, receive_type, comm);
            if constexpr (op == CollectiveOp::allgather) {
                return run_allgather(sent, blocks, data, native);
            } else {
                return run_alltoall(sent, blocks, data, native);
            }
        });
}

template <SymbolName name>
void reduce_in_fortran(void* send, void* receive, void* count, void* type, void* op, void* root,
                       void* comm, MPI_Fint* error) {
    call_in_fortran(
        error,
        [&] { return call_fortran<name>(error, send, receive, count, type, op, root, comm); },
        [&](auto native) {
            return run_reduce(buffer_of(send), buffer_of(receive), data_of(count, type, comm),
                              from_fortran<MPI_Op>(op), number(root), native);
        });
}

template <SymbolName name>
void allreduce_in_fortran(void* send, void* receive, void* count, void* type, void* op, void* comm,
                          MPI_Fint* error) {
    call_in_fortran(
        error, [&] { return call_fortran<name>(error, send, receive, count, type, op, comm); },
        [&](auto native) {
            return run_allreduce(buffer_of(send), buffer_of(receive), data_of(count, type, comm),
                                 from_fortran<MPI_Op>(op), native);
        });
}

}  // namespace
}  // namespace commmap::inside

using namespace commmap::inside;
using commmap::CollectiveOp;
using commmap::hooks::call_fortran;

// NOLINTBEGIN(readability-identifier-naming): as Fortran calls them
#define COMMMAP_FORTRAN(suffix)                                                                   \
    void mpi_init##suffix(MPI_Fint* error) { initialised_in_fortran<"mpi_init" #suffix>(error); } \
    void mpi_init_thread##suffix(void* required, void* provided, MPI_Fint* error) {               \
        initialised_in_fortran<"mpi_init_thread" #suffix>(error, required, provided);             \
    }                                                                                             \
    void mpi_comm_idup##suffix(void* comm, void* made, void* request, MPI_Fint* error) {          \
        TunedVariables::leave_alone();                                                            \
        call_fortran<"mpi_comm_idup" #suffix>(error, comm, made, request);                        \
    }                                                                                             \
    void mpi_comm_idup_with_info##suffix(void* comm, void* info, void* made, void* request,       \
                                         MPI_Fint* error) {                                       \
        TunedVariables::leave_alone();                                                            \
        call_fortran<"mpi_comm_idup_with_info" #suffix>(error, comm, info, made, request);        \
    }                                                                                             \
    void mpi_bcast##suffix(void* buffer, void* count, void* type, void* root, void* comm,         \
                           MPI_Fint* error) {                                                     \
        bcast_in_fortran<"mpi_bcast" #suffix>(buffer, count, type, root, comm, error);            \
    }                                                                                             \
    void mpi_allgather##suffix(void* send, void* send_count, void* send_type, void* receive,      \
                               void* receive_count, void* receive_type, void* comm,               \
                               MPI_Fint* error) {                                                 \
        blocks_in_fortran<"mpi_allgather" #suffix, CollectiveOp::allgather>(                      \
            send, send_count, send_type, receive, receive_count, receive_type, comm, error);      \
    }                                                                                             \
    void mpi_alltoall##suffix(void* send, void* send_count, void* send_type, void* receive,       \
                              void* receive_count, void* receive_type, void* comm,                \
                              MPI_Fint* error) {                                                  \
        blocks_in_fortran<"mpi_alltoall" #suffix, CollectiveOp::alltoall>(                        \
            send, send_count, send_type, receive, receive_count, receive_type, comm, error);      \
    }                                                                                             \
    void mpi_reduce##suffix(void* send, void* receive, void* count, void* type, void* op,         \
                            void* root, void* comm, MPI_Fint* error) {                            \
        reduce_in_fortran<"mpi_reduce" #suffix>(send, receive, count, type, op, root, comm,       \
                                                error);                                           \
    }                                                                                             \
    void mpi_allreduce##suffix(void* send, void* receive, void* count, void* type, void* op,      \
                               void* comm, MPI_Fint* error) {                                     \
        allreduce_in_fortran<"mpi_allreduce" #suffix>(send, receive, count, type, op, comm,       \
                                                      error);                                     \
    }

#pragma GCC visibility push(default)
extern "C" {
COMMMAP_FORTRAN(_)
COMMMAP_FORTRAN(_f08_)
}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)

#endif
