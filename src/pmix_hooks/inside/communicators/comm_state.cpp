// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/comm_state.hpp"

#include <atomic>
#include <new>
#include <utility>

#include "pmix_hooks/mpi/comm_attribute.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/process/print_line.hpp"

namespace commmap::inside {
namespace {

/// MPI libraries have room for some thousand communicators in a process.
constexpr int most_ordered = 64;
constexpr std::uint32_t calls_before_an_order = 2;

constinit std::atomic<int> num_ordered{0};
constinit std::atomic<bool> mpi_ends{false};

int delete_state(MPI_Comm, int, void* state, void*) noexcept {
    delete static_cast<CommState*>(state);
    return MPI_SUCCESS;
}

int make_key() noexcept {
    int key = MPI_KEYVAL_INVALID;
    if (PMPI(Comm_create_keyval)(&hooks::copy_nothing<MPI_Comm>, &delete_state, &key, nullptr) !=
        MPI_SUCCESS) {
        return MPI_KEYVAL_INVALID;
    }
    return key;
}

int state_key() noexcept {
    static const int key = make_key();
    return key;
}

}  // namespace

CommState* CommState::of(MPI_Comm comm) noexcept {
    const int key = state_key();
    void* known = nullptr;
    int found = 0;
    if (PMPI(Comm_get_attr)(comm, key, &known, &found) != MPI_SUCCESS) {
        return nullptr;
    }
    if (found != 0) return static_cast<CommState*>(known);
    int rank = 0;
    int size = 0;
    int is_inter = 0;
    if (PMPI(Comm_test_inter)(comm, &is_inter) != MPI_SUCCESS || is_inter != 0 ||
        PMPI(Comm_rank)(comm, &rank) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm, &size) != MPI_SUCCESS || size < 2) {
        return nullptr;
    }
    std::unique_ptr<CommState> made(new (std::nothrow) CommState(comm, rank, size));
    if (made == nullptr || PMPI(Comm_set_attr)(comm, key, made.get()) != MPI_SUCCESS) {
        // The other members would wait for ever for one that calls natively alone.
        hooks::print_line("no memory for a communicator's state: the program ends");
        PMPI(Abort)(comm, 1);
    }
    return made.release();
}

void CommState::leave_all() noexcept { mpi_ends.store(true); }

const OrderedComm* CommState::ordered(int node) noexcept {
    if (asked_) return ordered_.get();
    const bool is_world = comm_ == hooks::comm_world();
    if (!is_world && calls_++ < calls_before_an_order) return nullptr;
    asked_ = true;
    const bool has_room = num_ordered.fetch_add(1) < most_ordered;
    ordered_ = OrderedComm::make(comm_, node, has_room);
    if (ordered_ == nullptr) num_ordered.fetch_sub(1);
    return ordered_.get();
}

CommState::~CommState() {
    if (ordered_ == nullptr) return;
    if (mpi_ends.load()) ordered_->leave();
    num_ordered.fetch_sub(1);
}

}  // namespace commmap::inside
