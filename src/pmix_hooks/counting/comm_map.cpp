// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/comm_map.hpp"

#include <algorithm>
#include <cstring>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/mpi/comm_attribute.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {
namespace {

template <class Handle>
int forget_handle(Handle handle, int, void*, void* map) {
    static_cast<CommMap*>(map)->forget(handle_number(handle));
    return MPI_SUCCESS;
}

/// Owns an MPI_Group.
class GroupHandle {
public:
    GroupHandle() = default;
    GroupHandle(const GroupHandle&) = delete;
    GroupHandle& operator=(const GroupHandle&) = delete;
    ~GroupHandle() {
        if (group_ != MPI_Group{}) PMPI(Group_free)(&group_);
    }
    [[nodiscard]] MPI_Group* out() noexcept { return &group_; }
    [[nodiscard]] MPI_Group get() const noexcept { return group_; }

private:
    MPI_Group group_{};
};

/// Writes the world ranks of a group's members. Returns false when MPI refuses or memory is short.
bool world_ranks(MPI_Group group, std::uint32_t size, MPI_Group world, RankId* ranks) noexcept {
    const ScratchPages pages(std::size_t{2} * size * sizeof(int));
    int* from = pages.as<int>();
    if (from == nullptr) return false;
    int* to = from + size;
    for (std::uint32_t i = 0; i < size; ++i) from[i] = static_cast<int>(i);
    if (PMPI(Group_translate_ranks)(group, static_cast<int>(size), from, world, to) != MPI_SUCCESS)
        return false;
    for (std::uint32_t i = 0; i < size; ++i)
        ranks[i] = to[i] < 0 ? no_id : static_cast<RankId>(to[i]);
    return true;
}

}  // namespace

constinit thread_local CommMap::Cached CommMap::cache_[CommMap::cache_slots]{};

bool CommMap::open(Arena& arena, MPI_Comm world, std::atomic<const RankGroup*>& groups) noexcept {
    arena_ = &arena;
    groups_ = &groups;
    slots_ = arena.make_array<CommEntry*>(num_slots);
    groups_by_hash_ = arena.make_array<RankGroup*>(num_slots);
    int size = 0;
    if (slots_ == nullptr || groups_by_hash_ == nullptr ||
        PMPI(Comm_size)(world, &size) != MPI_SUCCESS ||
        PMPI(Comm_group)(world, &world_group_) != MPI_SUCCESS ||
        PMPI(Comm_create_keyval)(copy_nothing<MPI_Comm>, forget_handle<MPI_Comm>, &keyval_, this) !=
            MPI_SUCCESS ||
        PMPI(Win_create_keyval)(copy_nothing<MPI_Win>, forget_handle<MPI_Win>, &win_keyval_,
                                this) != MPI_SUCCESS)
        return false;
    world_size_ = static_cast<std::uint32_t>(size);
    return true;
}

void CommMap::close() noexcept {
    if (world_group_ != MPI_Group{}) PMPI(Group_free)(&world_group_);
    world_group_ = {};
    // Attributes that are still set keep the keyval alive inside MPI. Their callbacks find an entry
    // to forget, or none.
    if (keyval_ != MPI_KEYVAL_INVALID) PMPI(Comm_free_keyval)(&keyval_);
    if (win_keyval_ != MPI_KEYVAL_INVALID) PMPI(Win_free_keyval)(&win_keyval_);
}

void CommMap::forget(std::uintptr_t handle) noexcept {
    const std::lock_guard lock(mutex_);
    for (CommEntry** at = &slot(handle); *at != nullptr; at = &(*at)->next)
        if ((*at)->handle == handle) {
            CommEntry* entry = *at;
            *at = entry->next;
            entry->next = unused_;
            unused_ = entry;
            epoch_.fetch_add(1, std::memory_order_release);
            return;
        }
}

CommEntry* CommMap::find_slowly(std::uintptr_t handle, Kind kind, Cached& cached) noexcept {
    const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
    const auto find_entry = [&]() -> CommEntry* {
        for (CommEntry* entry = slot(handle); entry != nullptr; entry = entry->next)
            if (entry->handle == handle) return entry;
        return nullptr;
    };
    {
        const std::lock_guard lock(mutex_);
        if (CommEntry* entry = find_entry()) {
            cached = {handle, epoch, entry};
            return entry;
        }
    }
    RankGroup* group = kind == Kind::window
                           ? group_of_window(handle_of_number<MPI_Win>(handle))
                           : group_of_communicator(handle_of_number<MPI_Comm>(handle));
    if (group == nullptr) return nullptr;
    CommEntry* entry = nullptr;
    {
        const std::lock_guard lock(mutex_);
        entry = find_entry();
        if (entry != nullptr) {  // another thread was faster
            cached = {handle, epoch, entry};
            return entry;
        }
        entry = unused_;
        if (entry != nullptr)
            unused_ = entry->next;
        else
            entry = arena_->make<CommEntry>();
        if (entry == nullptr) return nullptr;
        entry->handle = handle;
        entry->group = group;
        if (Neighbours* old = entry->neighbours.exchange(nullptr)) entry->spare = old;
        entry->next = slot(handle);
        slot(handle) = entry;
    }
    // The attribute is set once for an entry, by the thread that made the entry. A second attribute
    // would replace the first, whose callback forgets the entry while others use it.
    if (!tell_when_freed(handle, kind)) return nullptr;
    cached = {handle, epoch, entry};
    return entry;
}

bool CommMap::tell_when_freed(std::uintptr_t handle, Kind kind) noexcept {
    return (kind == Kind::window
                ? PMPI(Win_set_attr)(handle_of_number<MPI_Win>(handle), win_keyval_, this)
                : PMPI(Comm_set_attr)(handle_of_number<MPI_Comm>(handle), keyval_, this)) ==
           MPI_SUCCESS;
}

RankGroup* CommMap::group_of_communicator(MPI_Comm comm) noexcept {
    int inter = 0;
    GroupHandle local;
    GroupHandle remote;
    if (PMPI(Comm_test_inter)(comm, &inter) != MPI_SUCCESS ||
        PMPI(Comm_group)(comm, local.out()) != MPI_SUCCESS ||
        (inter != 0 && PMPI(Comm_remote_group)(comm, remote.out()) != MPI_SUCCESS))
        return nullptr;
    return group_of(local.get(), remote.get());
}

RankGroup* CommMap::group_of_window(MPI_Win win) noexcept {
    GroupHandle members;
    if (PMPI(Win_get_group)(win, members.out()) != MPI_SUCCESS) return nullptr;
    return group_of(members.get(), {});
}

RankGroup* CommMap::group_of(MPI_Group local, MPI_Group remote) noexcept {
    RankGroup group;
    int local_size = 0;
    int remote_size = 0;
    int my_rank = 0;
    if (PMPI(Group_rank)(local, &my_rank) != MPI_SUCCESS || my_rank < 0 ||
        PMPI(Group_size)(local, &local_size) != MPI_SUCCESS ||
        (remote != MPI_Group{} && PMPI(Group_size)(remote, &remote_size) != MPI_SUCCESS))
        return nullptr;
    group.is_inter = remote != MPI_Group{};
    group.my_rank = static_cast<std::uint32_t>(my_rank);
    group.num_local = static_cast<std::uint32_t>(local_size);
    group.num_members = static_cast<std::uint32_t>(local_size + remote_size);

    const ScratchPages pages(std::size_t{2} * group.num_members * sizeof(RankId));
    RankId* both = pages.as<RankId>();
    if (both == nullptr || !world_ranks(local, group.num_local, world_group_, both)) return nullptr;
    group.self = both[my_rank];
    group.peers = both;
    group.num_peers = group.num_local;
    group.members = both;
    if (group.is_inter) {
        RankId* theirs = both + group.num_local;
        group.peers = theirs;
        group.num_peers = static_cast<std::uint32_t>(remote_size);
        if (!world_ranks(remote, group.num_peers, world_group_, theirs)) return nullptr;
        // Both sides must name the same list: the group with the lowest rank comes first.
        if (*std::min_element(theirs, theirs + group.num_peers) < *std::min_element(both, theirs)) {
            RankId* swapped = both + group.num_members;
            std::copy(theirs, theirs + group.num_peers, swapped);
            std::copy(both, theirs, swapped + group.num_peers);
            group.members = swapped;
        }
    }
    group.in_world = std::find(both, both + group.num_members, no_id) == both + group.num_members;
    group.hash = communicator_key(group.members, group.num_members).low;
    return intern(group);
}

RankGroup* CommMap::intern(const RankGroup& candidate) noexcept {
    const auto same = [](const RankId* a, std::uint32_t a_count, const RankId* b,
                         std::uint32_t b_count) {
        return a_count == b_count && std::memcmp(a, b, a_count * sizeof *a) == 0;
    };
    const std::lock_guard lock(mutex_);
    RankGroup*& first = groups_by_hash_[candidate.hash % num_slots];
    for (RankGroup* group = first; group != nullptr; group = group->next_in_slot)
        if (group->hash == candidate.hash && group->is_inter == candidate.is_inter &&
            same(group->members, group->num_members, candidate.members, candidate.num_members) &&
            same(group->peers, group->num_peers, candidate.peers, candidate.num_peers))
            return group;
    RankGroup* group = arena_->make<RankGroup>();
    RankId* members = arena_->make_array<RankId>(candidate.num_members + candidate.num_peers);
    if (group == nullptr || members == nullptr) return nullptr;
    std::copy(candidate.members, candidate.members + candidate.num_members, members);
    RankId* peers = members;
    if (candidate.is_inter) {
        peers += candidate.num_members;
        std::copy(candidate.peers, candidate.peers + candidate.num_peers, peers);
    }
    group->is_inter = candidate.is_inter;
    group->in_world = candidate.in_world;
    group->my_rank = candidate.my_rank;
    group->self = candidate.self;
    group->num_local = candidate.num_local;
    group->num_peers = candidate.num_peers;
    group->peers = peers;
    group->num_members = candidate.num_members;
    group->members = members;
    group->hash = candidate.hash;
    group->number = num_groups_++;
    group->next = groups_->load(std::memory_order_relaxed);
    groups_->store(group, std::memory_order_release);
    group->next_in_slot = first;
    first = group;
    return group;
}

CollectiveCount* CommMap::collective(RankGroup& group, CollectiveOp op, RankId root,
                                     std::uint8_t bucket, bool in_peer_traffic) noexcept {
    const auto find = [&](CollectiveCount* count, bool of_any_size) {
        while (count != nullptr && !(count->op == op && count->root == root &&
                                     count->in_peer_traffic == in_peer_traffic &&
                                     (of_any_size || count->bucket == bucket)))
            count = count->next;
        return count;
    };
    const std::size_t mixed =
        static_cast<std::size_t>(op) + (root == no_id ? 0 : std::size_t{root} * 7);
    std::atomic<CollectiveCount*>& head = group.collectives[mixed % RankGroup::collective_slots];
    if (CollectiveCount* known = find(head.load(std::memory_order_acquire), false)) return known;
    const std::lock_guard lock(mutex_);
    CollectiveCount* first = head.load(std::memory_order_acquire);
    if (CollectiveCount* known = find(first, false)) return known;
    auto* count = arena_->make<CollectiveCount>();
    if (count == nullptr) return find(first, true);  // another size bucket is better than none
    count->op = op;
    count->root = root;
    count->in_peer_traffic = in_peer_traffic;
    count->bucket = bucket;
    count->number = num_counts_++;
    count->next = first;
    count->next_of_all = counts_.load(std::memory_order_relaxed);
    head.store(count, std::memory_order_release);
    counts_.store(count, std::memory_order_release);
    return count;
}

const Neighbours* CommMap::neighbours(MPI_Comm comm, CommEntry& entry) noexcept {
    if (const Neighbours* known = entry.neighbours.load(std::memory_order_acquire)) return known;
    const RankGroup& group = *entry.group;
    const int my_rank = static_cast<int>(group.my_rank);
    int topology = MPI_UNDEFINED;
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (PMPI(Topo_test)(comm, &topology) != MPI_SUCCESS) return nullptr;
    int status = MPI_ERR_TOPOLOGY;
    if (topology == MPI_CART) {
        status = PMPI(Cartdim_get)(comm, &out);
        out *= 2;
    } else if (topology == MPI_GRAPH) {
        status = PMPI(Graph_neighbors_count)(comm, my_rank, &out);
    } else if (topology == MPI_DIST_GRAPH) {
        status = PMPI(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    }
    if (status != MPI_SUCCESS) return nullptr;

    const ScratchPages pages((static_cast<std::size_t>(out) + static_cast<std::size_t>(in)) * 2 *
                             sizeof(int));
    int* destinations = pages.as<int>();
    if (destinations == nullptr) return nullptr;
    if (topology == MPI_CART) {
        int* pair = destinations;
        for (int dimension = 0; 2 * dimension < out && status == MPI_SUCCESS; ++dimension) {
            status = PMPI(Cart_shift)(comm, dimension, 1, pair, pair + 1);
            pair += 2;
        }
    } else if (topology == MPI_GRAPH) {
        status = PMPI(Graph_neighbors)(comm, my_rank, out, destinations);
    } else {
        int* weights = destinations + out;
        int* sources = weights + out;
        int* source_weights = sources + in;
        status = PMPI(Dist_graph_neighbors)(comm, in, sources, source_weights, out, destinations,
                                            weights);
    }
    if (status != MPI_SUCCESS) return nullptr;

    const std::lock_guard lock(mutex_);
    if (const Neighbours* known = entry.neighbours.load(std::memory_order_acquire)) return known;
    const auto count = static_cast<std::uint32_t>(out);
    Neighbours* neighbours = entry.spare;
    if (neighbours == nullptr || neighbours->capacity < count) {
        neighbours = arena_->make<Neighbours>();
        RankId* peers = arena_->make_array<RankId>(count);
        if (neighbours == nullptr || peers == nullptr) return nullptr;
        *neighbours = {count, count, peers};
    }
    entry.spare = nullptr;
    neighbours->count = count;
    for (std::uint32_t i = 0; i < count; ++i) neighbours->peers[i] = group.peer(destinations[i]);
    entry.neighbours.store(neighbours, std::memory_order_release);
    return neighbours;
}

}  // namespace commmap::hooks
