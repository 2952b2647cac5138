// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/comm_state.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "pmix_hooks/inside/communicators/end_program.hpp"
#include "pmix_hooks/inside/communicators/ranks_in.hpp"
#include "pmix_hooks/mpi/comm_attribute.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {
namespace {

/// MPI libraries have room for some thousand communicators in a process.
constexpr int most_beside = 64;
constexpr std::uint32_t calls_before_another = 2;

constinit std::atomic<int> num_beside{0};
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

/// Whether all ranks of a communicator are in this process's MPI_COMM_WORLD, whose ranks have
/// agreed to choose. All members find the same: each of them sees somebody of another world, or
/// nobody.
bool is_within_world(MPI_Comm comm, int size) {
    const std::vector<int> in_world = ranks_in(hooks::comm_world(), comm, size);
    if (in_world.empty()) end_program(comm);
    return std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) == in_world.end();
}

}  // namespace

void CommState::prepare() noexcept {
    if (state_key() == MPI_KEYVAL_INVALID) end_program(hooks::comm_world());
}

CommState* CommState::of(MPI_Comm comm) noexcept {
    const int key = state_key();
    void* known = nullptr;
    int found = 0;
    if (PMPI(Comm_get_attr)(comm, key, &known, &found) != MPI_SUCCESS) {
        return nullptr;
    }
    if (found != 0) {
        auto* state = static_cast<CommState*>(known);
        return state->is_native_ ? nullptr : state;
    }
    int rank = 0;
    int size = 0;
    int is_inter = 0;
    if (PMPI(Comm_test_inter)(comm, &is_inter) != MPI_SUCCESS || is_inter != 0 ||
        PMPI(Comm_rank)(comm, &rank) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm, &size) != MPI_SUCCESS || size < 2) {
        return nullptr;
    }
    try {
        std::unique_ptr<CommState> made(
            new CommState(comm, rank, size, !is_within_world(comm, size)));
        if (PMPI(Comm_set_attr)(comm, key, made.get()) != MPI_SUCCESS) end_program(comm);
        CommState* state = made.release();
        return state->is_native_ ? nullptr : state;
    } catch (const std::exception&) {
        end_program(comm);
    }
}

void CommState::leave_all() noexcept { mpi_ends.store(true); }

const OrderedComm* CommState::ordered(std::uint8_t number, const CommNeed& need,
                                      int node) noexcept {
    Beside& beside = beside_.at(number);
    if (beside.was_asked_for) return beside.comm.get();
    const bool is_world = comm_ == hooks::comm_world();
    if (!is_world && calls_++ < calls_before_another) return nullptr;
    beside.was_asked_for = true;
    const bool has_room = num_beside.fetch_add(1) < most_beside;
    beside.comm = OrderedComm::make(comm_, need, node, has_room);
    if (beside.comm == nullptr) num_beside.fetch_sub(1);
    return beside.comm.get();
}

CommState::~CommState() {
    for (const Beside& beside : beside_) {
        if (beside.comm == nullptr) continue;
        if (mpi_ends.load()) beside.comm->leave();
        num_beside.fetch_sub(1);
    }
}

}  // namespace commmap::inside
