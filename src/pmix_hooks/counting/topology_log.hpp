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

/// The first topologies of this rank: ProcessTopology::most_of_rank of them, with most_numbers
/// numbers. A grid is there once, however often the program makes it. A graph is there each time,
/// for other ranks may have other neighbours in it.
///
/// The log ends at the first topology that it does not keep. So what the members of a communicator
/// have kept of its topologies are the first ones on each of them.
class TopologyLog {
public:
    /// @param latest  gets the list of all
    void open(Arena& arena, std::atomic<const TopologyEntry*>& latest) noexcept {
        arena_ = &arena;
        latest_ = &latest;
    }
    /// No topology is kept any more.
    [[nodiscard]] bool is_full() const noexcept { return full_.load(std::memory_order_relaxed); }
    /// Asks MPI for the topology of a communicator.
    void add(MPI_Comm comm, CommEntry& entry, CommMap& comms) noexcept;

private:
    [[nodiscard]] bool has(const TopologyEntry& grid) const noexcept;
    void add(RankGroup& group, std::uint32_t num_dims,
             std::span<const std::uint32_t> numbers) noexcept;
    void end() noexcept { full_.store(true, std::memory_order_relaxed); }

    Arena* arena_ = nullptr;
    std::atomic<const TopologyEntry*>* latest_ = nullptr;
    std::atomic<bool> full_{false};
    std::mutex mutex_;  ///< guards what follows; never held while MPI is called
    std::size_t count_ = 0;
    std::size_t num_numbers_ = 0;
};

}  // namespace commmap::hooks
