// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/profile/recording/mpi_call_generated.hpp"
#include "pmix_hooks/counting/peer_table.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/memory/counter.hpp"
#include "pmix_hooks/rounds/open_round.hpp"

namespace commmap::hooks {

/// Counters of one thread, or of several together. They lie in the record memory and outlive the
/// thread.
struct ThreadCounters {
    PeerTable sent;     ///< also how long this rank waited for each peer
    PeerTable fetched;  ///< data that this rank got from peers, one-sided
    /// Number of outermost calls, and the time in them.
    struct Calls {
        Counter count;
        Counter ticks;
    };
    /// Number of nonblocking sends, and how many other sends were open when they began: the sum,
    /// and the largest number.
    struct OpenSends {
        Counter sends;
        Counter others;
        Counter most;
    };
    /// Open round of the thread, outside of the record memory: other processes have no use for it.
    /// Null for counters that several threads share.
    OpenRound* round = nullptr;
    ThreadCounters* next = nullptr;  ///< in the list of all counters
    ThreadCounters* next_unused = nullptr;
    std::uint64_t seen_mpi_ticks = 0;  ///< value that is in the log of phases
    std::array<Calls, num_mpi_calls> calls;
    std::array<OpenSends, num_size_buckets> open_sends;  ///< by the size bucket of the message
    std::array<Counter, num_mpi_calls> file_bytes;       ///< by call: bytes to and from files
    Counter receives_looked_at;
    Counter early_receives;  ///< those whose message was there before the receive

    /// Returns the ticks in all calls. Cost: O(num_mpi_calls).
    [[nodiscard]] std::uint64_t mpi_ticks() const noexcept {
        std::uint64_t sum = 0;
        for (const Calls& of_one : calls) sum += of_one.ticks.value();
        return sum;
    }
};

/// The counters of each thread of the operating system.
/// No two threads write to the same counters, so counting needs no locked addition, and no cache
/// line goes from CPU to CPU.
/// Where only one thread is in MPI at a time, all threads share one set.
/// Threads' own counters take at most half of the memory. Threads beyond that share one set with
/// locked additions.
class ThreadTable {
public:
    /// @param concurrent  threads may be inside MPI at once (MPI_THREAD_MULTIPLE)
    /// @param all         receives the list of all counters, linked by `next`
    /// @param signatures  of the rounds of all threads
    /// @return            false when there is no memory
    [[nodiscard]] bool open(Arena& arena, std::uint32_t num_ranks, bool concurrent,
                            std::atomic<ThreadCounters*>& all, SignatureTable& signatures) noexcept;
    /// Leaves the counters, in a child by fork(): its threads must not write into the parent's
    /// memory when they end.
    void leave() noexcept { left_.store(true, std::memory_order_relaxed); }

    /// Counts a message in this thread's table, and as an act of the thread's round.
    /// If that table has no memory for a new peer, counts the message in the shared table.
    /// Returns false when the shared table has no memory either.
    /// Cost: allocates and locks only at a thread's first call and at its first message to a peer.
    bool add(PeerTable ThreadCounters::*table, RoundAct act, RankId peer,
             std::uint64_t bytes) noexcept {
        ThreadCounters& counters = mine();
        const std::size_t bucket = size_bucket(bytes);
        if (!(counters.*table).add(peer, bytes, bucket) &&
            !(shared_->*table).add(peer, bytes, bucket)) [[unlikely]]
            return false;
        if (counters.round != nullptr) counters.round->message(act, peer, bytes, bucket);
        return true;
    }
    /// Counts that this thread's last call has waited for a message of the rank. Does nothing when
    /// there is no memory.
    void add_wait(RankId peer) noexcept {
        const std::uint64_t ticks = last_call.ticks();
        if (!mine().sent.add_wait(peer, ticks)) [[unlikely]]
            shared_->sent.add_wait(peer, ticks);
    }
    /// Counts the beginning of a nonblocking send.
    /// @param others  number of other open nonblocking sends
    void add_open_send(std::uint64_t bytes, std::uint32_t others) noexcept {
        ThreadCounters& counters = mine();
        const bool together = is_together(counters);
        ThreadCounters::OpenSends& of_size = counters.open_sends[size_bucket(bytes)];
        of_size.sends.add(1, together);
        of_size.others.add(others, together);
        of_size.most.raise(others, together);
    }
    /// Counts a receive that was looked at.
    /// @param is_early  its message was there before it began
    void add_look(bool is_early) noexcept {
        ThreadCounters& counters = mine();
        const bool together = is_together(counters);
        counters.receives_looked_at.add(1, together);
        if (is_early) counters.early_receives.add(1, together);
    }
    /// Returns the round that this thread is in; null where the thread has no round of its own.
    [[nodiscard]] OpenRound* round() noexcept { return concurrent_ ? mine().round : only_round_; }
    /// Ends the rounds of all threads.
    void finish_rounds() noexcept;
    /// Inlined into each wrapper: a call costs 2 ns, and with the C++ library's assertions the
    /// compiler would make one.
    [[gnu::always_inline]] void add_call(MpiCall call, std::uint64_t ticks) noexcept {
        ThreadCounters& counters = mine();
        const bool together = is_together(counters);
        ThreadCounters::Calls& calls = counters.calls[static_cast<std::size_t>(call)];
        calls.count.add(1, together);
        calls.ticks.add(ticks, together);
    }
    void add_bytes(MpiCall call, std::uint64_t bytes) noexcept {
        ThreadCounters& counters = mine();
        counters.file_bytes[static_cast<std::size_t>(call)].add(bytes, is_together(counters));
    }

private:
    static constexpr std::size_t for_all = Arena::max_bytes / 2;

    [[nodiscard]] ThreadCounters& mine() noexcept {
        if (!concurrent_) [[likely]]
            return *shared_;
        return mine_ != nullptr ? *mine_ : take();
    }
    /// Returns whether another thread may add to these counters at once.
    [[nodiscard]] bool is_together(const ThreadCounters& counters) const noexcept {
        return locked_ && &counters == shared_;
    }
    ThreadCounters* make(bool is_shared) noexcept;
    [[nodiscard]] ThreadCounters& take() noexcept;
    /// Takes the counters of a thread that has ended; the next new thread goes on counting in them.
    void give_back(ThreadCounters& counters) noexcept;

    // NOLINTNEXTLINE(readability-identifier-naming): the suffix rule does not know static members
    static constinit thread_local ThreadCounters* mine_;
    bool concurrent_ = false;  ///< each thread has its own
    bool locked_ = false;      ///< several threads use the shared counters
    Arena* arena_ = nullptr;
    std::uint32_t num_ranks_ = 0;
    ThreadCounters* shared_ = nullptr;
    OpenRound* only_round_ = nullptr;  ///< the round, where only one thread is in MPI at a time
    SignatureTable* signatures_ = nullptr;
    pthread_key_t at_thread_end_{};
    std::atomic<bool> left_{false};
    std::mutex mutex_;  ///< guards the members below
    std::atomic<ThreadCounters*>* all_ = nullptr;
    ThreadCounters* unused_ = nullptr;
    Arena rounds_;       ///< memory of the rounds, which no other process reads
    bool full_ = false;  ///< a thread has found no memory
};

}  // namespace commmap::hooks
