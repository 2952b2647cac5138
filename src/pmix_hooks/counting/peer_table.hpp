// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "commmap/ids.hpp"
#include "core/profile/size_bucket.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/memory/counter.hpp"

namespace commmap::hooks {

/// Counts the messages and bytes sent to each world rank, by size bucket, and how long calls waited
/// for messages of that rank.
/// Memory: 8 bytes for each rank of the world and 448 for each peer. Allocates only at a peer's
/// first message or wait.
class PeerTable {
public:
    struct Bucket {
        Counter count;
        Counter bytes;
    };
    struct Peer {
        std::array<Bucket, num_size_buckets> buckets;
        std::array<Snapshot, num_size_buckets> seen;  ///< values that are in the log of phases
        Counter waits;                                ///< calls that waited
        Counter wait_ticks;
        RankId rank;
        Peer* next;  ///< in the list of the table's peers
    };
    /// Peers by world rank; null for a rank without a message and a wait.
    using Slots = std::atomic<Peer*>*;

    /// Allocates the table. Returns false when there is no memory.
    /// @param is_shared  several threads may add at once
    /// @param spared     bytes of the arena that this table must leave to others
    [[nodiscard]] bool open(Arena& arena, std::uint32_t num_ranks, bool is_shared,
                            std::size_t spared = 0) noexcept;

    /// Counts a message.
    /// @param rank    < num_ranks
    /// @param bucket  size_bucket(bytes)
    /// @return        false when there is no memory for a new peer
    bool add(RankId rank, std::uint64_t bytes, std::size_t bucket) noexcept {
        Peer* const peer = peer_of(rank, spared_);
        if (peer == nullptr) [[unlikely]]
            return false;
        Bucket& of_size = peer->buckets[bucket];
        of_size.count.add(1, is_shared_);
        of_size.bytes.add(bytes, is_shared_);
        return true;
    }
    bool add(RankId rank, std::uint64_t bytes) noexcept {
        return add(rank, bytes, size_bucket(bytes));
    }
    /// Counts a call that has waited for a message of the rank.
    /// Returns as add(). Leaves half of the arena's memory to messages.
    bool add_wait(RankId rank, std::uint64_t ticks) noexcept {
        Peer* const peer = peer_of(rank, Arena::max_bytes / 2);
        if (peer == nullptr) [[unlikely]]
            return false;
        peer->waits.add(1, is_shared_);
        peer->wait_ticks.add(ticks, is_shared_);
        return true;
    }
    /// Returns the latest peer; earlier ones follow by `next`.
    [[nodiscard]] Peer* first() const noexcept { return first_.load(std::memory_order_acquire); }

private:
    /// Returns a rank's peer, made when it is new; null when there is no memory.
    [[nodiscard]] Peer* peer_of(RankId rank, std::size_t spared) noexcept {
        Peer* const peer = peers_[rank].load(std::memory_order_acquire);
        if (peer == nullptr) [[unlikely]]
            return make_peer(rank, spared);
        return peer;
    }
    Peer* make_peer(RankId rank, std::size_t spared) noexcept;

    Arena* arena_ = nullptr;
    Slots peers_ = nullptr;
    std::atomic<Peer*> first_{nullptr};
    std::size_t spared_ = 0;
    bool is_shared_ = false;
};

}  // namespace commmap::hooks
