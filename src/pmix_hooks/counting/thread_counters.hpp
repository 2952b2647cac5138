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

/// What one thread counted, or several together. In the record memory: it outlives the thread.
struct ThreadCounters {
    PeerTable sent;     ///< and how long this rank waited for the peers
    PeerTable fetched;  ///< what peers sent here without knowing of it
    /// Outermost calls, and the time in them.
    struct Calls {
        Counter count;
        Counter ticks;
    };
    /// Nonblocking sends, and how many others were open when they began: of all sends together, and
    /// the most of one.
    struct OpenSends {
        Counter sends;
        Counter others;
        Counter most;
    };
    /// Outside of the record memory, of no use to other processes. Null of counters that several
    /// threads share.
    OpenRound* round = nullptr;
    ThreadCounters* next = nullptr;  ///< in the list of all
    ThreadCounters* next_unused = nullptr;
    std::uint64_t seen_mpi_ticks = 0;  ///< by the log of phases
    std::array<Calls, num_mpi_calls> calls;
    std::array<OpenSends, num_size_buckets> open_sends;  ///< by the size bucket of the message
    std::array<Counter, num_mpi_calls> file_bytes;       ///< by call, to files and from them
    Counter receives_looked_at;
    Counter early_receives;  ///< of these, those whose message was there before them

    /// Of all calls. Cost: O(num_mpi_calls).
    [[nodiscard]] std::uint64_t mpi_ticks() const noexcept {
        std::uint64_t sum = 0;
        for (const Calls& of_one : calls) sum += of_one.ticks.value();
        return sum;
    }
};

/// The counters of each thread: no two threads write to the same ones, so that counting needs no
/// locked addition and no cache line goes from CPU to CPU. Where only one thread is in MPI at a
/// time all have the same. Threads' own take half of the memory; what that has no room for goes
/// into counters that all share, with locked additions. A thread is one of the operating system.
class ThreadTable {
public:
    /// @param concurrent  threads may be inside MPI at once (MPI_THREAD_MULTIPLE)
    /// @param all         gets the list of all, linked by `next`
    /// @param signatures  of the rounds of all threads
    /// @return            false when there is no memory
    [[nodiscard]] bool open(Arena& arena, std::uint32_t num_ranks, bool concurrent,
                            std::atomic<ThreadCounters*>& all, SignatureTable& signatures) noexcept;
    /// In a child by fork(), whose threads must not write into the parent's memory when they end.
    void leave() noexcept { left_.store(true, std::memory_order_relaxed); }

    /// Counts a message in this thread's table, or in that of all when there is no memory for
    /// another peer in it; false when there is none for that either. Allocates and locks at a
    /// thread's first call and at its first message to a peer only.
    /// It is also an act of the thread's round.
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
    /// This thread's last call has waited for a message of the rank. What no memory is for is not
    /// noted.
    void add_wait(RankId peer) noexcept {
        const std::uint64_t ticks = last_call.ticks();
        if (!mine().sent.add_wait(peer, ticks)) [[unlikely]]
            shared_->sent.add_wait(peer, ticks);
    }
    /// A nonblocking send begins. @param others  of them that are open
    void add_open_send(std::uint64_t bytes, std::uint32_t others) noexcept {
        ThreadCounters& counters = mine();
        const bool together = is_together(counters);
        ThreadCounters::OpenSends& of_size = counters.open_sends[size_bucket(bytes)];
        of_size.sends.add(1, together);
        of_size.others.add(others, together);
        of_size.most.raise(others, together);
    }
    /// A receive has been looked at. @param is_early  its message was there
    void add_look(bool is_early) noexcept {
        ThreadCounters& counters = mine();
        const bool together = is_together(counters);
        counters.receives_looked_at.add(1, together);
        if (is_early) counters.early_receives.add(1, together);
    }
    /// The round that this thread is in; null where it has none of its own.
    [[nodiscard]] OpenRound* round() noexcept { return concurrent_ ? mine().round : only_round_; }
    /// The rounds of all threads end.
    void finish_rounds() noexcept;
    void add_call(MpiCall call, std::uint64_t ticks) noexcept {
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
    /// Whether another thread may be counting there too.
    [[nodiscard]] bool is_together(const ThreadCounters& counters) const noexcept {
        return locked_ && &counters == shared_;
    }
    ThreadCounters* make(bool is_shared) noexcept;
    [[nodiscard]] ThreadCounters& take() noexcept;
    /// A thread has ended: the next one goes on counting in the same.
    void give_back(ThreadCounters& counters) noexcept;

    // NOLINTNEXTLINE(readability-identifier-naming): the suffix rule does not know static members
    static constinit thread_local ThreadCounters* mine_;
    bool concurrent_ = false;  ///< each thread has its own
    bool locked_ = false;      ///< the shared ones have several threads
    Arena* arena_ = nullptr;
    std::uint32_t num_ranks_ = 0;
    ThreadCounters* shared_ = nullptr;
    OpenRound* only_round_ = nullptr;  ///< where only one thread is in MPI at a time
    SignatureTable* signatures_ = nullptr;
    pthread_key_t at_thread_end_{};
    std::atomic<bool> left_{false};
    std::mutex mutex_;  ///< guards what follows
    std::atomic<ThreadCounters*>* all_ = nullptr;
    ThreadCounters* unused_ = nullptr;
    Arena rounds_;       ///< never that of others
    bool full_ = false;  ///< a thread has found no memory
};

}  // namespace commmap::hooks
