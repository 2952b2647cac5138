// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

#include <exception>
#include <new>
#include <utility>

#include "pmix_hooks/inside/communicators/end_program.hpp"
#include "pmix_hooks/inside/communicators/ranks_in.hpp"
#include "pmix_hooks/inside/communicators/tuned_variables.hpp"
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

/// What a member has of a new communicator.
struct Have {
    bool usable;
    bool tuned;  ///< the algorithms of coll/tuned
};
Have all_have(Have mine, MPI_Comm comm) noexcept {
    int least[] = {mine.usable ? 1 : 0, mine.tuned ? 1 : 0};
    const int status =
        PMPI(Allreduce)(MPI_IN_PLACE, least, 2, hooks::type_int(), hooks::op_min(), comm);
    if (status != MPI_SUCCESS) return {false, false};
    return {least[0] == 1, least[1] == 1};
}

/// Makes the communicators that Open MPI may make inside of one at its first allgather (coll/han).
/// MPI_Comm_split calls that, and they would keep the algorithms that are meant for another one.
void open_inner_communicators(MPI_Comm comm) noexcept {
    int size = 0;
    if (PMPI(Comm_size)(comm, &size) != MPI_SUCCESS) return;
    try {
        std::vector<int> zeros(static_cast<std::size_t>(size));
        const int zero = 0;
        PMPI(Allgather)
        (&zero, 1, hooks::type_int(), zeros.data(), 1, hooks::type_int(), comm);
    } catch (const std::exception&) {
        end_program(comm);
    }
}

/// Ranks with the same key keep the order that they have.
MPI_Comm split(MPI_Comm comm, const CommNeed& need, int node, bool may_take,
               bool& has_tuned) noexcept {
    if (!need.tuned.empty()) open_inner_communicators(comm);
    const TunedVariables variables(need);
    has_tuned = variables.are_set();
    MPI_Comm made = comm_null();
    const int color = may_take ? 0 : MPI_UNDEFINED;
    const int key = need.order == CommOrder::machine ? node : 0;
    return PMPI(Comm_split)(comm, color, key, &made) == MPI_SUCCESS ? made : comm_null();
}

}  // namespace

std::unique_ptr<OrderedComm> OrderedComm::make(MPI_Comm comm, const CommNeed& need, int node,
                                               bool may_take) noexcept {
    const ErrorsReturned errors(comm);
    std::unique_ptr<OrderedComm> made(new (std::nothrow) OrderedComm);
    bool has_tuned = false;
    MPI_Comm ordered = split(comm, need, node, may_take && made != nullptr, has_tuned);
    const bool has_one = made != nullptr && ordered != comm_null();
    if (has_one) made->comm_ = ordered;
    const bool usable = has_one && made->look_up_ranks(comm);
    const Have all = all_have({usable, has_tuned}, comm);
    if (!all.usable) return nullptr;
    made->has_tuned_ = all.tuned;
    return made;
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
