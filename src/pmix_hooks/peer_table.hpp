#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/base/ids.hpp"
#include "core/profile/size_bucket.hpp"
#include "pmix_hooks/arena.hpp"
#include "pmix_hooks/counter.hpp"

namespace commmap::hooks {

/// Messages and bytes sent to each world rank, by size bucket. Memory: 8 bytes per rank of the
/// world and 448 per peer; allocates at the first message to a peer only.
class PeerTable {
public:
    struct Bucket {
        Counter count;
        Counter bytes;
    };
    struct Peer {
        std::array<Bucket, num_size_buckets> buckets;
        std::array<Seen, num_size_buckets> seen;  ///< by the log of phases
        RankId rank;
        Peer* next;  ///< in the list of the table's peers
    };
    /// Of each world rank its peer, null where there was no message.
    using Slots = std::atomic<Peer*>*;

    /// false when there is no memory.
    /// @param is_shared  several threads may add at once
    /// @param spared     how much of the arena's memory it leaves to others
    [[nodiscard]] bool open(Arena& arena, std::uint32_t num_ranks, bool is_shared,
                            std::size_t spared = 0) noexcept;

    /// @param rank  < num_ranks
    /// @return      false when there is no memory for a new peer
    /// @param bucket  size_bucket(bytes)
    bool add(RankId rank, std::uint64_t bytes, std::size_t bucket) noexcept {
        Peer* peer = peers_[rank].load(std::memory_order_acquire);
        if (peer == nullptr) [[unlikely]] {
            peer = make_peer(rank);
            if (peer == nullptr) return false;
        }
        Bucket& of_size = peer->buckets[bucket];
        of_size.count.add(1, is_shared_);
        of_size.bytes.add(bytes, is_shared_);
        return true;
    }
    bool add(RankId rank, std::uint64_t bytes) noexcept {
        return add(rank, bytes, size_bucket(bytes));
    }
    /// The latest; the others behind it.
    [[nodiscard]] Peer* first() const noexcept { return first_.load(std::memory_order_acquire); }

private:
    Peer* make_peer(RankId rank) noexcept;

    Arena* arena_ = nullptr;
    Slots peers_ = nullptr;
    std::atomic<Peer*> first_{nullptr};
    std::size_t spared_ = 0;
    bool is_shared_ = false;
};

}  // namespace commmap::hooks
