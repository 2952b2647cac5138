// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

#include <exception>
#include <new>
#include <utility>

#include "pmix_hooks/inside/communicators/ranks_in.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {
namespace {

using hooks::comm_null;
using hooks::errors_return;

/// Errors on a communicator are returned as long as this object lives: what this library cannot
/// have must not end the program.
class ErrorsReturned {
public:
    explicit ErrorsReturned(MPI_Comm comm) noexcept : comm_(comm) {
        known_ = PMPI(Comm_get_errhandler)(comm_, &before_) == MPI_SUCCESS &&
                 PMPI(Comm_set_errhandler)(comm_, errors_return()) == MPI_SUCCESS;
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;
    ~ErrorsReturned() {
        if (!known_) return;
        PMPI(Comm_set_errhandler)(comm_, before_);
        PMPI(Errhandler_free)(&before_);
    }

private:
    MPI_Comm comm_;
    MPI_Errhandler before_{};
    bool known_ = false;
};

bool all_have(bool mine, MPI_Comm comm) noexcept {
    int least = mine ? 1 : 0;
    const int status =
        PMPI(Allreduce)(MPI_IN_PLACE, &least, 1, hooks::type_int(), hooks::op_min(), comm);
    return status == MPI_SUCCESS && least == 1;
}

}  // namespace

std::unique_ptr<OrderedComm> OrderedComm::make(MPI_Comm comm, int node, bool may_take) noexcept {
    const ErrorsReturned errors(comm);
    std::unique_ptr<OrderedComm> made(new (std::nothrow) OrderedComm);
    MPI_Comm ordered = comm_null();
    const bool takes_part = made != nullptr && may_take;
    const int status = PMPI(Comm_split)(comm, takes_part ? 0 : MPI_UNDEFINED, node, &ordered);
    const bool has_one = status == MPI_SUCCESS && ordered != comm_null();
    if (takes_part && has_one) made->comm_ = ordered;
    const bool usable = takes_part && has_one && made->look_up_ranks(comm);
    return all_have(usable, comm) ? std::move(made) : nullptr;
}

bool OrderedComm::look_up_ranks(MPI_Comm comm) noexcept {
    int size = 0;
    int size_of_other = 0;
    if (PMPI(Comm_set_errhandler)(comm_, errors_return()) != MPI_SUCCESS ||
        PMPI(Comm_rank)(comm_, &place_) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm_, &size) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm, &size_of_other) != MPI_SUCCESS || size != size_of_other) {
        return false;
    }
    try {
        rank_at_ = ranks_in(comm, comm_, size);
        place_of_.resize(rank_at_.size());
        bool found = !rank_at_.empty();
        for (int place = 0; found && place < size; ++place) {
            const int rank = rank_at(place);
            found = rank >= 0 && rank < size;
            if (found) place_of_[static_cast<std::size_t>(rank)] = place;
        }
        return found;
    } catch (const std::exception&) {
        return false;
    }
}

void OrderedComm::leave() noexcept { comm_ = {}; }

OrderedComm::~OrderedComm() {
    if (comm_ != MPI_Comm{}) PMPI(Comm_free)(&comm_);
}

}  // namespace commmap::inside
