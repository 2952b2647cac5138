// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>

#include "core/profile/process_topology.hpp"
#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/counting/topology_entry.hpp"
#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

/// Keeps the first topologies of this rank: at most ProcessTopology::most_of_rank, with at most
/// most_numbers numbers together.
/// A grid is kept once, however often the program makes it.
/// A graph is kept each time, for other ranks may have other neighbours in it.
///
/// The log ends at the first topology that it cannot keep. So the members of a communicator have
/// all kept its first topologies.
class TopologyLog {
public:
    /// @param latest  receives the list of all entries
    void open(Arena& arena, std::atomic<const TopologyEntry*>& latest) noexcept {
        arena_ = &arena;
        latest_ = &latest;
    }
    /// Returns whether the log has ended, and keeps no more topologies.
    [[nodiscard]] bool is_full() const noexcept { return full_.load(std::memory_order_relaxed); }
    /// Asks MPI for the topology of a communicator, and keeps that topology.
    void add(MPI_Comm comm, CommEntry& entry, CommMap& comms) noexcept;

private:
    [[nodiscard]] bool has(const TopologyEntry& grid) const noexcept;
    void add(RankGroup& group, std::uint32_t num_dims,
             std::span<const std::uint32_t> numbers) noexcept;
    void end() noexcept { full_.store(true, std::memory_order_relaxed); }

    Arena* arena_ = nullptr;
    std::atomic<const TopologyEntry*>* latest_ = nullptr;
    std::atomic<bool> full_{false};
    std::mutex mutex_;  ///< guards the members below; never held while MPI is called
    std::size_t count_ = 0;
    std::size_t num_numbers_ = 0;
};

}  // namespace commmap::hooks
