#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "core/profile/profile.hpp"
#include "pmix_hooks/arena.hpp"
#include "pmix_hooks/clock.hpp"
#include "pmix_hooks/comm_map.hpp"
#include "pmix_hooks/counter.hpp"
#include "pmix_hooks/peer_table.hpp"
#include "pmix_hooks/place.hpp"
#include "pmix_hooks/request_table.hpp"

namespace commmap::hooks {

/// What this process records between MPI_Init and MPI_Finalize. One object, `recorder`, that exists
/// before any constructor runs and is never destroyed: MPI calls may come from either.
class Recorder {
public:
    constexpr Recorder() = default;

    [[nodiscard]] bool recording() const noexcept {
        return recording_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool timed() const noexcept { return timed_; }

    /// Around PMPI_Init. Nothing starts unless COMMMAP_RECORD=1 and the world is the whole job
    /// step. That every rank of it is here is asked now or in finish() (RollCall::asks_separately).
    void before_init() noexcept;
    void after_init(bool succeeded) noexcept;
    /// When MPI deletes the attributes of MPI_COMM_SELF, the first thing that MPI_Finalize does,
    /// from whatever language it was called; collective over MPI_COMM_WORLD. Writes the profile on
    /// world rank 0.
    void finish() noexcept;
    /// At the beginning of MPI_Finalize, for the case that MPI would not take the callback.
    void finish_if_mpi_will_not() noexcept {
        if (!finished_by_mpi_) finish();
    }

    /// A message to a rank of `comm` (valid), or to MPI_PROC_NULL, which is none.
    void sent(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept;
    /// A message to a rank of the world; no_id is ignored.
    void sent_to(RankId peer, std::uint64_t bytes) noexcept {
        if (peer != no_id && !peers_.add(peer, bytes)) [[unlikely]]
            give_up();
    }
    void persistent_send_made(MPI_Request request, MPI_Comm comm, int destination,
                              std::uint64_t bytes) noexcept;
    void request_gone(MPI_Request request) noexcept { requests_.erase(request); }
    void request_started(MPI_Request request) noexcept;

    /// Null when memory is short.
    [[nodiscard]] CommEntry* find(MPI_Comm comm) noexcept;
    [[nodiscard]] const Neighbours* neighbours(MPI_Comm comm, CommEntry& entry) noexcept;
    /// One call. @param root  in the world, or no_id
    void collective(RankGroup& group, CollectiveOp op, RankId root, std::uint64_t bytes,
                    bool in_peer_traffic) noexcept;

    void add_mpi_ticks(std::uint64_t amount) noexcept { mpi_ticks_.add(amount); }

private:
    [[nodiscard]] bool begin() noexcept;
    /// There will be no profile: nothing more is counted, but this rank still takes part in
    /// finish().
    void give_up() noexcept {
        incomplete_.store(true);
        recording_.store(false);
    }

    std::atomic<bool> recording_{false};
    bool timed_ = false;
    std::atomic<bool> incomplete_{
        false};  ///< something could not be recorded: there will be no profile
    PeerTable peers_;
    CommMap comms_;
    RequestTable requests_;
    Counter mpi_ticks_;
    Arena arena_;

    bool takes_part_ = false;   ///< in finish()
    bool asks_at_end_ = false;  ///< in finish(), whether the others do
    bool finished_by_mpi_ = false;
    pid_t pid_ = 0;
    int rank_ = 0;
    int size_ = 0;
    Place place_;
    double start_s_ = 0.0;
    std::uint64_t start_ticks_ = 0;
};

extern Recorder recorder;

}  // namespace commmap::hooks
