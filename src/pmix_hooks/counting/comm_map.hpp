// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "commmap/ids.hpp"
#include "core/profile/profile.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/memory/counter.hpp"
#include "pmix_hooks/mpi/handles.hpp"

namespace commmap::hooks {

/// Counter of a rank's calls of one collective, with one root and one size bucket of payloads, on
/// one group of ranks.
struct CollectiveCount {
    CollectiveOp op;
    bool in_peer_traffic;
    std::uint8_t bucket;   ///< as CollectiveRecord::bucket
    RankId root;           ///< rank in the world, no_id for none
    std::uint32_t number;  ///< 0, 1, 2, ... in this process
    Counter calls;
    Counter bytes;
    Snapshot seen;          ///< values that are in the log of phases
    CollectiveCount* next;  ///< in the list of its group
    CollectiveCount* next_of_all;

    void add(std::uint64_t amount) noexcept {
        calls.add(1);
        bytes.add(amount);
    }
};

/// The processes behind a communicator or a window, as ranks of MPI_COMM_WORLD; no_id for a process
/// of another world.
/// Communicators of the same processes in the same order share one RankGroup, which lives as long
/// as the process.
struct RankGroup {
    static constexpr std::size_t collective_slots = 32;

    bool is_inter = false;
    bool in_world = false;        ///< every member is in MPI_COMM_WORLD
    std::uint32_t my_rank = 0;    ///< rank in the local group
    RankId self = no_id;          ///< this process's rank in the world
    std::uint32_t num_local = 0;  ///< size of the local group
    std::uint32_t num_peers = 0;  ///< possible destinations: size of the (remote) group
    const RankId* peers = nullptr;
    /// Size of the group. Of an intercommunicator: size of both groups, the group with the
    /// lowest rank first.
    std::uint32_t num_members = 0;
    const RankId* members = nullptr;
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  ///< 0, 1, 2, ... in this process
    bool is_met = false;       ///< its members have waited for each other in rounds
    bool has_topology = false;
    std::atomic<CollectiveCount*> collectives[collective_slots]{};  ///< lists by op and root
    const RankGroup* next = nullptr;                                ///< in the list of all groups
    RankGroup* next_in_slot = nullptr;

    [[nodiscard]] RankId peer(int rank) const noexcept {
        return rank >= 0 && static_cast<std::uint32_t>(rank) < num_peers ? peers[rank] : no_id;
    }
};

/// Ranks to which a rank sends in neighbourhood collectives, in the order of the calls' arguments;
/// no_id for MPI_PROC_NULL.
struct Neighbours {
    std::uint32_t count;
    std::uint32_t capacity;
    RankId* peers;
};

/// The group and the neighbours of one handle, in CommMap's table.
struct CommEntry {
    std::uintptr_t handle = 0;  ///< number of an MPI_Comm or an MPI_Win
    RankGroup* group = nullptr;
    std::atomic<Neighbours*> neighbours{nullptr};
    Neighbours* spare = nullptr;  ///< of an earlier communicator in this entry, for reuse
    CommEntry* next = nullptr;
};

/// Map from the handle of a communicator or a window to its group of world ranks.
/// A handle is forgotten when MPI frees its object: an attribute's delete callback tells so,
/// whoever frees it.
/// Cost: about 1 ns for most lookups, from a cache of the thread.
class CommMap {
public:
    /// @param groups  receives the list of all groups, linked by `next`
    [[nodiscard]] bool open(Arena& arena, MPI_Comm world,
                            std::atomic<const RankGroup*>& groups) noexcept;
    void close() noexcept;

    /// Finds the entry of a communicator.
    /// @param comm  must be valid
    /// @return      null when there is no memory or MPI refuses; later counts cannot be trusted
    ///              then
    [[nodiscard]] CommEntry* find(MPI_Comm comm) noexcept {
        return find(handle_number(comm), Kind::communicator);
    }
    [[nodiscard]] CommEntry* find_window(MPI_Win win) noexcept {
        return find(handle_number(win), Kind::window);
    }
    /// Returns this rank's neighbours on a communicator; null as for find().
    [[nodiscard]] const Neighbours* neighbours(MPI_Comm comm, CommEntry& entry) noexcept;
    /// Returns the counter to add a call to; null when there is no memory.
    [[nodiscard]] CollectiveCount* collective(RankGroup& group, CollectiveOp op, RankId root,
                                              std::uint8_t bucket, bool in_peer_traffic) noexcept;

    void forget(std::uintptr_t handle) noexcept;

    /// Returns the latest collective's counter; earlier ones follow by next_of_all.
    [[nodiscard]] CollectiveCount* first_count() const noexcept {
        return counts_.load(std::memory_order_acquire);
    }

private:
    static constexpr std::size_t cache_slots = 16;
    static constexpr std::size_t num_slots = 1024;
    enum class Kind { communicator, window };
    struct Cached {
        std::uintptr_t handle;
        std::uint64_t epoch;
        CommEntry* entry;
    };

    [[nodiscard]] CommEntry* find(std::uintptr_t handle, Kind kind) noexcept {
        Cached& cached = cache_[spread(handle) % cache_slots];
        if (cached.handle == handle && cached.epoch == epoch_.load(std::memory_order_acquire))
            [[likely]]
            return cached.entry;
        return find_slowly(handle, kind, cached);
    }
    CommEntry* find_slowly(std::uintptr_t handle, Kind kind, Cached& cached) noexcept;
    RankGroup* group_of_communicator(MPI_Comm comm) noexcept;
    RankGroup* group_of_window(MPI_Win win) noexcept;
    /// @param remote  the remote group of an intercommunicator, else none
    RankGroup* group_of(MPI_Group local, MPI_Group remote) noexcept;
    [[nodiscard]] bool tell_when_freed(std::uintptr_t handle, Kind kind) noexcept;
    RankGroup* intern(const RankGroup& candidate) noexcept;
    CommEntry*& slot(std::uintptr_t handle) noexcept { return slots_[spread(handle) % num_slots]; }

    // NOLINTNEXTLINE(readability-identifier-naming): the suffix rule does not know static members
    static constinit thread_local Cached cache_[cache_slots];
    Arena* arena_ = nullptr;
    MPI_Group world_group_{};
    std::uint32_t world_size_ = 0;
    int keyval_ = MPI_KEYVAL_INVALID;
    int win_keyval_ = MPI_KEYVAL_INVALID;
    /// Rises whenever a handle is forgotten, which empties the threads' caches.
    std::atomic<std::uint64_t> epoch_{1};
    std::atomic<CollectiveCount*> counts_{nullptr};
    std::mutex mutex_;  ///< guards the members below; never held while MPI is called
    std::uint32_t num_counts_ = 0;
    std::uint32_t num_groups_ = 0;
    CommEntry** slots_ = nullptr;
    CommEntry* unused_ = nullptr;
    std::atomic<const RankGroup*>* groups_ = nullptr;
    RankGroup** groups_by_hash_ = nullptr;
};

}  // namespace commmap::hooks
