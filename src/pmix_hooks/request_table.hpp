#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>

#include "core/base/ids.hpp"
#include "pmix_hooks/arena.hpp"

namespace commmap::hooks {

/// Persistent send requests and what each start of them sends. Thread-safe; allocates when a
/// request is made, not when it is started.
class RequestTable {
public:
    struct Send {
        RankId peer;
        std::uint64_t bytes;
    };

    [[nodiscard]] bool open(Arena& arena) noexcept;
    /// Replaces what was known of a handle MPI has used before. false when there is no memory.
    bool insert(MPI_Request request, Send send) noexcept;
    void erase(MPI_Request request) noexcept;
    /// false when the request is no persistent send of ours.
    [[nodiscard]] bool find(MPI_Request request, Send& send) noexcept;

private:
    struct Node {
        MPI_Request request;
        Send send;
        Node* next;
    };
    static constexpr std::size_t num_slots = 4096;
    Node*& slot(MPI_Request request) noexcept {
        return slots_[(reinterpret_cast<std::uintptr_t>(request) >> 6) % num_slots];
    }

    std::mutex mutex_;
    Arena* arena_ = nullptr;
    Node** slots_ = nullptr;
    Node* unused_ = nullptr;
};

}  // namespace commmap::hooks
