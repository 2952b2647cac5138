// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "pmix_hooks/counting/persistent_operations.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/mpi/handles.hpp"

namespace commmap::hooks {

struct RankGroup;

/// Effects of each start of a persistent request.
struct Persistent {
    std::span<const PersistentOperations::Item> items;
    // members as in OpenRequest
    std::uint64_t completes = 0;
    const RankGroup* senders = nullptr;
    bool is_known = false;
};

/// Table of persistent requests, with what each start of them counts.
/// Threads: safe.
/// Cost: allocates and locks when a request is made or freed. A start takes no lock if this thread
/// has started the request before and no request was made or freed since.
class RequestTable {
public:
    [[nodiscard]] bool open(Arena& arena) noexcept;
    /// Adds a request, in place of an older one with the same handle. Returns false when there is
    /// no memory.
    bool insert(MPI_Request request, const Persistent& persistent) noexcept;
    void erase(MPI_Request request) noexcept;
    /// Finds a request; the result is valid until the request is freed. is_known is false if the
    /// table lacks the request.
    [[nodiscard]] Persistent find(MPI_Request request) noexcept {
        const std::uintptr_t number = handle_number(request);
        Cached& cached = cache_[spread(number) % cache_slots];
        if (cached.request == number && cached.epoch == epoch_.load(std::memory_order_acquire))
            [[likely]]
            return cached.persistent;
        return find_slowly(number, cached);
    }

private:
    struct Node {
        std::uintptr_t request;
        Persistent persistent;
        PersistentOperations::Item* items;
        std::size_t capacity;
        Node* next;
    };
    struct Cached {
        std::uintptr_t request;
        std::uint64_t epoch;
        Persistent persistent;
    };
    static constexpr std::size_t num_slots = 4096;
    static constexpr std::size_t cache_slots = 16;

    Persistent find_slowly(std::uintptr_t request, Cached& cached) noexcept;
    Node*& slot(std::uintptr_t request) noexcept { return slots_[spread(request) % num_slots]; }

    // NOLINTNEXTLINE(readability-identifier-naming): the suffix rule does not know static members
    static constinit thread_local Cached cache_[cache_slots];
    /// Rises whenever a request is made or freed, which empties the threads' caches.
    std::atomic<std::uint64_t> epoch_{1};
    std::mutex mutex_;  ///< guards the members below
    Arena* arena_ = nullptr;
    Node** slots_ = nullptr;
    Node* unused_ = nullptr;
};

}  // namespace commmap::hooks
