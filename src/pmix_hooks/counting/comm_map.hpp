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

/// Calls of one collective with one root and payloads of one size bucket on one group of ranks, as
/// this rank made them.
struct CollectiveCount {
    CollectiveOp op;
    bool in_peer_traffic;
    std::uint8_t bucket;   ///< as CollectiveRecord::bucket
    RankId root;           ///< in the world, no_id for none
    std::uint32_t number;  ///< 0, 1, 2, ... of this process
    Counter calls;
    Counter bytes;
    Snapshot seen;          ///< by the log of phases
    CollectiveCount* next;  ///< in its group's list
    CollectiveCount* next_of_all;

    void add(std::uint64_t amount) noexcept {
        calls.add(1);
        bytes.add(amount);
    }
};

/// The processes behind a communicator or a window. Those of the same processes in the same order
/// share one; it lives as long as the process. Ranks are those of MPI_COMM_WORLD, no_id for a
/// process of another world.
struct RankGroup {
    static constexpr std::size_t collective_slots = 32;

    bool is_inter = false;
    bool in_world = false;        ///< every member is in MPI_COMM_WORLD
    std::uint32_t my_rank = 0;    ///< in the local group
    RankId self = no_id;          ///< this process in the world
    std::uint32_t num_local = 0;  ///< size of the local group
    std::uint32_t num_peers = 0;  ///< what a destination counts in: the group, or the remote group
    const RankId* peers = nullptr;
    std::uint32_t num_members =
        0;  ///< the group; of an intercommunicator both, the one with the lowest rank first
    const RankId* members = nullptr;
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  ///< 0, 1, 2, ... of this process
    bool is_met = false;       ///< its members wait for each other in rounds
    bool has_topology = false;
    std::atomic<CollectiveCount*> collectives[collective_slots]{};  ///< lists by op and root
    const RankGroup* next = nullptr;                                ///< in the list of all groups
    RankGroup* next_in_slot = nullptr;

    [[nodiscard]] RankId peer(int rank) const noexcept {
        return rank >= 0 && static_cast<std::uint32_t>(rank) < num_peers ? peers[rank] : no_id;
    }
};

/// Whom a rank sends to in neighbourhood collectives, in the order of their arguments; no_id for
/// MPI_PROC_NULL.
struct Neighbours {
    std::uint32_t count;
    std::uint32_t capacity;
    RankId* peers;
};

struct CommEntry {
    std::uintptr_t handle = 0;  ///< number of an MPI_Comm or an MPI_Win
    RankGroup* group = nullptr;
    std::atomic<Neighbours*> neighbours{nullptr};
    Neighbours* spare = nullptr;  ///< of an earlier communicator in this entry, to be filled again
    CommEntry* next = nullptr;
};

/// Handle of a communicator or a window -> group of world ranks. A cache of the thread answers most
/// lookups in about 1 ns. A handle is forgotten when MPI frees what it stands for (by an
/// attribute's delete callback, whoever frees it).
class CommMap {
public:
    /// @param groups  gets the list of all groups, linked by `next`
    [[nodiscard]] bool open(Arena& arena, MPI_Comm world,
                            std::atomic<const RankGroup*>& groups) noexcept;
    void close() noexcept;

    /// @param comm  valid; null when there is no memory or MPI refuses: what follows cannot be
    ///              trusted then
    [[nodiscard]] CommEntry* find(MPI_Comm comm) noexcept {
        return find(handle_number(comm), Kind::communicator);
    }
    [[nodiscard]] CommEntry* find_window(MPI_Win win) noexcept {
        return find(handle_number(win), Kind::window);
    }
    /// Null as above.
    [[nodiscard]] const Neighbours* neighbours(MPI_Comm comm, CommEntry& entry) noexcept;
    /// The counter to add to; null when there is no memory.
    [[nodiscard]] CollectiveCount* collective(RankGroup& group, CollectiveOp op, RankId root,
                                              std::uint8_t bucket, bool in_peer_traffic) noexcept;

    void forget(std::uintptr_t handle) noexcept;

    /// The latest collective's counter; the others behind it, by next_of_all.
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
    /// @param remote  of an intercommunicator, else none
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
    /// Goes up whenever a handle is forgotten, which empties the threads' caches.
    std::atomic<std::uint64_t> epoch_{1};
    std::atomic<CollectiveCount*> counts_{nullptr};
    std::mutex mutex_;  ///< guards what follows; never held while MPI is called
    std::uint32_t num_counts_ = 0;
    std::uint32_t num_groups_ = 0;
    CommEntry** slots_ = nullptr;
    CommEntry* unused_ = nullptr;
    std::atomic<const RankGroup*>* groups_ = nullptr;
    RankGroup** groups_by_hash_ = nullptr;
};

}  // namespace commmap::hooks
