// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/inside/choices.hpp"
#include "core/profile/collective_op.hpp"
#include "pmix_hooks/inside/communicators/comm_state.hpp"

namespace commmap::inside {

/// Environment variable with the choices (Choices::parse()). The library does nothing without it.
/// It is empty once all ranks have agreed on them.
inline constexpr const char* choices_variable = "COMMMAP_INSIDE_RULES";
/// Environment variable with the position of this task's node in the order of the machine. Without
/// it the number that Slurm gave the node counts.
inline constexpr const char* node_variable = "COMMMAP_INSIDE_NODE";
/// Set to 1: rank 0 says why it makes native calls only, or in the end how many it did not.
inline constexpr const char* verbose_variable = "COMMMAP_INSIDE_VERBOSE";

/// How one call is run: an algorithm, and the communicator that it needs.
struct Plan {
    Algorithm algorithm;
    const OrderedComm* order = nullptr;  ///< null: a native call
    int rank = 0;                        ///< of this process in the program's communicator
};

/// The library's state in this process.
class Inside {
public:
    /// Bracket MPI_Init, by whatever function the program calls it. Calls stay native unless all
    /// ranks have this library and the same choices.
    void before_init() noexcept;
    void after_init(bool succeeded) noexcept;

    /// Whether calls may be run otherwise than natively; only then are the program's handles of the
    /// MPI library that this library was built for.
    [[nodiscard]] bool is_active() const noexcept {
        return active_.load(std::memory_order_relaxed);
    }
    /// Returns whether another algorithm than native may be asked for. Needs is_active(). All
    /// members of a call have the same answer.
    [[nodiscard]] bool may_choose(CollectiveOp op, std::uint64_t num_bytes) const noexcept {
        return num_bytes >= choices_->least_bytes(op);
    }
    /// Returns how a call is run. Called by all members of the communicator, with may_choose().
    /// @param comm  valid
    [[nodiscard]] Plan plan(CollectiveOp op, std::uint64_t num_bytes, MPI_Comm comm) noexcept;

    /// Calls are native from now on: MPI_Finalize has begun.
    void end() noexcept;

private:
    [[nodiscard]] bool choose_with_all() noexcept;
    void read_choices(std::string_view text) noexcept;

    std::atomic<bool> active_{false};
    const std::string* why_native_ = nullptr;  ///< why this rank has no choices
    std::atomic<std::uint64_t> num_chosen_{0};
    int rank_ = 0;                      ///< in MPI_COMM_WORLD
    const Choices* choices_ = nullptr;  ///< never freed: a program may call MPI while it exits
    int node_ = 0;
};
extern Inside inside;

}  // namespace commmap::inside
