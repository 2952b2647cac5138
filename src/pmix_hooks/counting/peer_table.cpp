// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/peer_table.hpp"

namespace commmap::hooks {

bool PeerTable::open(Arena& arena, std::uint32_t num_ranks, bool is_shared,
                     std::size_t spared) noexcept {
    arena_ = &arena;
    is_shared_ = is_shared;
    spared_ = spared;
    peers_ = arena.make_array<std::atomic<Peer*>>(num_ranks, spared);
    return peers_ != nullptr;
}

PeerTable::Peer* PeerTable::make_peer(RankId rank, std::size_t spared) noexcept {
    Peer* fresh = arena_->make<Peer>(spared);
    if (fresh == nullptr) return peers_[rank].load(std::memory_order_acquire);
    fresh->rank = rank;
    // The peer joins the list first: otherwise a thread could count where no reader looks.
    fresh->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(fresh->next, fresh, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
    // Two threads may get here at once: the second thread takes the first one's peer, and its own
    // stays unused.
    Peer* present = nullptr;
    return peers_[rank].compare_exchange_strong(present, fresh) ? fresh : present;
}

}  // namespace commmap::hooks
