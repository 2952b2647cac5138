// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/wrappers/collective_call.hpp"

#include "pmix_hooks/mpi/type_size.hpp"
#include "pmix_hooks/recorder.hpp"

namespace commmap::hooks {
namespace {

/// Returns the root's world rank as this member knows it; no_id for the idle members of an
/// intercommunicator's root group.
RankId world_root(const RankGroup& group, int root) noexcept {
    if (!group.is_inter) return group.peer(root);
    if (root == MPI_PROC_NULL) return no_id;
    return root == MPI_ROOT ? group.self : group.peer(root);
}

bool is_me(const RankGroup& group, std::uint32_t peer_index) noexcept {
    return !group.is_inter && peer_index == group.my_rank;
}

void send_to_all(const RankGroup& group, std::uint64_t bytes) noexcept {
    for (std::uint32_t i = 0; i < group.num_peers; ++i)
        if (bytes > 0 && !is_me(group, i)) recorder.message_to(group.peers[i], bytes);
}

/// Sends to each peer, and returns the sum of the bytes sent to others.
std::uint64_t send_to_each(const RankGroup& group, const Counts& sent) noexcept {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < group.num_peers; ++i) {
        const std::uint64_t bytes = is_me(group, i) ? 0 : sent.bytes(i);
        if (bytes == 0) continue;
        recorder.message_to(group.peers[i], bytes);
        sum += bytes;
    }
    return sum;
}

}  // namespace

std::uint64_t Counts::bytes(std::uint32_t rank) const noexcept {
    const MPI_Count count = counts_ == nullptr ? large_counts_[rank] : counts_[rank];
    return data_bytes(count, has_types_ ? types_[rank] : type_);
}

std::uint32_t group_size(MPI_Comm comm) noexcept {
    const CommEntry* entry = recorder.find(comm);
    return entry == nullptr ? 0 : entry->group->num_local;
}

std::uint32_t own_rank(MPI_Comm comm) noexcept {
    const CommEntry* entry = recorder.find(comm);
    return entry == nullptr ? 0 : entry->group->my_rank;
}

bool is_inter(MPI_Comm comm) noexcept {
    const CommEntry* entry = recorder.find(comm);
    return entry != nullptr && entry->group->is_inter;
}

void count_rootless(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    if (group.is_inter && (op == CollectiveOp::allgather || op == CollectiveOp::alltoall))
        send_to_all(group, bytes);
    recorder.collective(group, op, no_id, bytes, group.is_inter);
}

void count_from_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    const RankId world = world_root(group, root);
    if (world == no_id) return;
    if (group.is_inter && root == MPI_ROOT) send_to_all(group, bytes);
    recorder.collective(group, op, world, bytes, group.is_inter);
}

void count_to_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    const RankId world = world_root(group, root);
    if (world == no_id) return;
    if (group.is_inter && root != MPI_ROOT && bytes > 0) recorder.message_to(world, bytes);
    recorder.collective(group, op, world, bytes, group.is_inter);
}

void count_gatherv(MPI_Comm comm, int root, std::uint64_t bytes) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    const RankId world = world_root(group, root);
    if (world == no_id) return;
    const bool receives =
        group.is_inter ? root == MPI_ROOT : is_me(group, static_cast<std::uint32_t>(root));
    if (!receives && bytes > 0) recorder.message_to(world, bytes);
    recorder.collective(group, CollectiveOp::gather, world, bytes, true);
}

void count_scatterv(MPI_Comm comm, int root, std::uint64_t bytes, const Counts& sent) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    const RankId world = world_root(group, root);
    if (world == no_id) return;
    const bool sends =
        group.is_inter ? root == MPI_ROOT : is_me(group, static_cast<std::uint32_t>(root));
    if (sends) send_to_each(group, sent);
    recorder.collective(group, CollectiveOp::scatter, world, bytes, true);
}

void count_alltoallv(MPI_Comm comm, const Counts& sent) noexcept {
    const CommEntry* entry = recorder.find(comm);
    if (entry == nullptr) return;
    RankGroup& group = *entry->group;
    const std::uint64_t sum = send_to_each(group, sent);
    const std::uint32_t others = group.is_inter ? group.num_peers : group.num_peers - 1;
    recorder.collective(group, CollectiveOp::alltoall, no_id, others == 0 ? 0 : sum / others, true);
}

void count_neighbours(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept {
    CommEntry* entry = recorder.find(comm);
    const Neighbours* neighbours = entry == nullptr ? nullptr : recorder.neighbours(comm, *entry);
    if (neighbours == nullptr) return;
    for (std::uint32_t i = 0; i < neighbours->count; ++i)
        if (bytes > 0) recorder.message_to(neighbours->peers[i], bytes);
    recorder.collective(*entry->group, op, no_id, bytes, true);
}

void count_neighbours(MPI_Comm comm, CollectiveOp op, const Counts& sent) noexcept {
    CommEntry* entry = recorder.find(comm);
    const Neighbours* neighbours = entry == nullptr ? nullptr : recorder.neighbours(comm, *entry);
    if (neighbours == nullptr) return;
    std::uint64_t sum = 0;
    std::uint32_t present = 0;
    for (std::uint32_t i = 0; i < neighbours->count; ++i) {
        if (neighbours->peers[i] == no_id) continue;
        ++present;
        const std::uint64_t bytes = sent.bytes(i);
        if (bytes > 0) recorder.message_to(neighbours->peers[i], bytes);
        sum += bytes;
    }
    recorder.collective(*entry->group, op, no_id, present == 0 ? 0 : sum / present, true);
}

}  // namespace commmap::hooks
