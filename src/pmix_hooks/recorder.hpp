// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "core/profile/profile.hpp"
#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/counting/persistent_operations.hpp"
#include "pmix_hooks/counting/phases.hpp"
#include "pmix_hooks/counting/request_table.hpp"
#include "pmix_hooks/counting/thread_counters.hpp"
#include "pmix_hooks/counting/topology_log.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/output/record_memory.hpp"
#include "pmix_hooks/process/clock.hpp"
#include "pmix_hooks/rounds/open_round.hpp"
#include "pmix_hooks/rounds/signature_table.hpp"

namespace commmap::hooks {

/// Records what this process does between MPI_Init and MPI_Finalize.
/// The one object, `recorder`, exists before any constructor runs and is never destroyed: MPI calls
/// may come from constructors and destructors.
class Recorder {
public:
    constexpr Recorder() = default;

    [[nodiscard]] bool recording() const noexcept {
        return recording_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool timed() const noexcept { return timed_; }

    /// Bracket PMPI_Init. Recording starts only with COMMMAP_RECORD=1, and only if the world is the
    /// whole job step.
    /// Whether every rank has the recorder is asked now or in finish()
    /// (Participation::asks_separately).
    void before_init() noexcept;
    void after_init(bool succeeded) noexcept;
    /// Ends a session (MPI 4): says in one line that the sessions of a program without MPI_Init are
    /// not recorded.
    void after_session() noexcept;
    /// Ends the recording; collective over MPI_COMM_WORLD.
    /// Called when MPI deletes the attributes of MPI_COMM_SELF: MPI_Finalize does that first, from
    /// whatever language it was called.
    /// Rank 0 gets the records of all ranks. It leaves them to slurmstepd, or to a separate program
    /// where no slurmstepd holds its memory.
    void finish() noexcept;
    /// Says that MPI_Finalize has returned, so that nothing needs to be collected from this rank.
    /// Rank 0 has kept all records before it takes part in MPI_Finalize.
    /// If this is never called, the collected profile is the same once more.
    void finalized() noexcept {
        if (delivered_) set_state(RecordState::handed_over);
    }
    /// Ends the recording at the beginning of MPI_Finalize, in case MPI did not take the callback.
    void finish_if_mpi_will_not() noexcept {
        if (!finished_by_mpi_) finish();
    }

    /// Counts a message to a rank of a valid `comm`; MPI_PROC_NULL is no message.
    void sent(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept;
    /// Does the same for a call that waits for the receiver if the message is long.
    void sent_blocking(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept {
        sent(comm, destination, bytes);
        if (bytes >= eager_limit_bytes && destination != MPI_PROC_NULL) waited();
    }
    /// Does the same for a call that leaves a request.
    void sending(MPI_Comm comm, int destination, std::uint64_t bytes,
                 MPI_Request request) noexcept {
        sent(comm, destination, bytes);
        OpenRound* round = threads_.round();
        if (round == nullptr) return;
        const bool is_send = destination != MPI_PROC_NULL;
        if (is_send) note_open_send(*round, bytes);
        round->request({.handle = handle_number(request), .is_send = is_send});
    }
    /// Does the same for a call that may be persistent.
    void message(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept;
    /// Counts a message to a rank of the world; no_id is ignored.
    /// @param act  RoundAct::put for a message of a collective
    void message_to(RankId peer, std::uint64_t bytes, RoundAct act = RoundAct::put) noexcept {
        if (operations_ == nullptr)
            sent_to(peer, bytes, act);
        else if (peer != no_id)
            operations_->add({act, peer, nullptr, bytes});
    }
    /// Count one-sided data to a rank of the window, or from it. Data from it are a message of the
    /// target, which does not notice.
    void put(MPI_Win win, int target, std::uint64_t bytes) noexcept;
    void got(MPI_Win win, int target, std::uint64_t bytes) noexcept;
    /// Notes the request of a persistent call. The counts that note() makes are made at each start
    /// of the request.
    template <class Note>
    void persistent(MPI_Request request, Note&& note) noexcept {
        PersistentOperations operations;
        Persistent made;
        operations_ = &operations;
        note();
        operations_ = nullptr;
        made.items = operations.items();
        for (const PersistentOperations::Item& item : made.items)
            if (item.act == RoundAct::begun)
                made.completes = round_key(RoundAct::completed, item.what);
        if (operations.incomplete() || !requests_.insert(request, made)) give_up();
    }
    void persistent_receive(MPI_Comm comm, int source, MPI_Request request) noexcept;
    void request_started(MPI_Request request) noexcept;

    // The functions below note acts of rounds (docs/developer/steps.md): their beginnings and their
    // ends.

    /// Notes the beginning of a request that is no receive and no collective.
    void request_begun(MPI_Request request) noexcept {
        if (OpenRound* round = threads_.round()) round->request({.handle = handle_number(request)});
    }
    void receiving(MPI_Comm comm, int source, MPI_Request request) noexcept;
    /// Notes a receive that is about to begin.
    /// @param is_early  its message is there
    void looked(bool is_early) noexcept { threads_.add_look(is_early); }
    /// @param source  MPI_ANY_SOURCE where nobody knows
    void received(MPI_Comm comm, int source) noexcept;
    /// Notes a matched message, by MPI_Mprobe, which has waited, or by MPI_Improbe.
    /// @param source  as above
    void matched(MPI_Comm comm, int source, MPI_Message message, bool has_waited) noexcept;
    void message_received_by(std::uintptr_t message, MPI_Request request) noexcept;
    /// Note a collective on a whole communicator or window, which waits for the other ranks.
    void joined(MPI_Comm comm) noexcept { join(find(comm), nullptr); }
    void fence(MPI_Win win) noexcept { join(find_window(win), nullptr); }
    /// Does the same for a collective that does not wait.
    /// @param request  null for a persistent collective
    void joining(MPI_Comm comm, const MPI_Request* request) noexcept { join(find(comm), request); }
    /// Notes the end of a request.
    /// @param source  returns the sender where it was not known before
    template <class Source>
    void completed(std::uintptr_t handle, Source&& source) noexcept {
        if (OpenRound* round = threads_.round()) completed(*round, handle, source);
    }
    /// Does the same for a call about one request or one matched message. The call has waited, or
    /// has found the request complete.
    template <class Source>
    void completed_alone(std::uintptr_t handle, bool has_waited, Source&& source) noexcept {
        OpenRound* round = threads_.round();
        if (round == nullptr) return;
        const RankId sender = completed(*round, handle, source);
        if (has_waited) waited_for(sender);
        if (has_waited || !round->has_open()) round->close();
    }
    /// Closes the round: a call that waits has returned.
    void waited() noexcept {
        if (OpenRound* round = threads_.round()) round->close();
    }
    /// Closes the round if none of its requests is open: a call has found requests complete,
    /// without waiting for all.
    void found_complete() noexcept {
        OpenRound* round = threads_.round();
        if (round != nullptr && !round->has_open()) round->close();
    }
    [[nodiscard]] bool is_from_anyone(std::uintptr_t handle) noexcept {
        OpenRound* round = threads_.round();
        const OpenRequest* found = round == nullptr ? nullptr : round->find(handle);
        return found != nullptr && found->senders != nullptr && !found->is_persistent;
    }
    [[nodiscard]] bool receives_from_anyone() noexcept {
        OpenRound* round = threads_.round();
        return round != nullptr && round->receives_from_anyone();
    }
    /// Returns room for handles that lasts for one call; null where there is no memory.
    [[nodiscard]] std::uintptr_t* room_for_handles(int count) noexcept {
        OpenRound* round = threads_.round();
        return round == nullptr ? nullptr
                                : round->room_for_handles(static_cast<std::size_t>(count));
    }
    /// Forgets a request that is freed or cancelled.
    void request_dropped(MPI_Request request, bool is_freed) noexcept {
        if (is_freed) requests_.erase(request);
        OpenRound* round = threads_.round();
        if (round == nullptr) return;
        const OpenRequest dropped = round->take(handle_number(request));
        // a freed request ends all the same, and nobody sees its end
        if (is_freed && (dropped.completes != 0 || dropped.senders != nullptr))
            round->set_unclear();
    }

    /// Returns the entry of a valid communicator; null when memory is short.
    [[nodiscard]] CommEntry* find(MPI_Comm comm) noexcept {
        CommEntry* entry = comms_.find(comm);
        if (entry == nullptr) [[unlikely]]
            give_up();
        return entry;
    }
    [[nodiscard]] const Neighbours* neighbours(MPI_Comm comm, CommEntry& entry) noexcept;
    /// Notes a communicator that was made with a topology.
    /// @param comm  may be MPI_COMM_NULL
    void arranged(MPI_Comm comm) noexcept;
    /// Counts one call.
    /// @param root  rank in the world, or no_id
    void collective(RankGroup& group, CollectiveOp op, RankId root, std::uint64_t bytes,
                    bool in_peer_traffic) noexcept;

    /// Stops recording, in a child by fork(): the recorded data are its parent's.
    void leave_to_parent() noexcept {
        recording_.store(false);
        threads_.leave();
        head_ = nullptr;
    }

    [[gnu::always_inline]] void add_call(MpiCall call, std::uint64_t ticks) noexcept {
        threads_.add_call(call, ticks);
    }
    /// Counts data that a call of MPI-IO has moved.
    void file_moved(MpiCall call, std::uint64_t bytes) noexcept { threads_.add_bytes(call, bytes); }
    [[nodiscard]] Phases& phases() noexcept { return phases_; }

private:
    /// Length from which on a blocking send waits for the receiver: Open MPI's limit between nodes
    /// over TCP, with its header.
    /// Between ranks of one node the real limit is smaller.
    static constexpr std::uint64_t eager_limit_bytes = std::uint64_t{64} << 10;

    void sent_to(RankId peer, std::uint64_t bytes, RoundAct act) noexcept {
        if (peer == no_id) return;
        if (!threads_.add(&ThreadCounters::sent, act, peer, bytes)) [[unlikely]]
            give_up();
    }
    /// Returns the rank whose message has come; no_id where none has.
    template <class Source>
    static RankId completed(OpenRound& round, std::uintptr_t handle, Source&& source) noexcept {
        const OpenRequest request = round.take(handle);  // no request, if it is not active
        if (request.senders != nullptr) return received(round, *request.senders, source());
        if (request.completes == 0) return no_id;
        round.act(request.completes);
        return act_of(request.completes) == RoundAct::received ? what_of(request.completes) : no_id;
    }
    /// Notes that the thread's last call has waited for a message of `sender`; no_id: for no
    /// message.
    void waited_for(RankId sender) noexcept {
        if (sender != no_id && timed_) threads_.add_wait(sender);
    }
    void note_open_send(const OpenRound& round, std::uint64_t bytes) noexcept {
        if (timed_) threads_.add_open_send(bytes, round.num_open_sends());
    }
    void join(const CommEntry* entry, const MPI_Request* request) noexcept;
    /// Returns as completed().
    static RankId received(OpenRound& round, const RankGroup& senders, int source) noexcept;
    [[nodiscard]] static Persistent receive(const RankGroup& senders, int source) noexcept;
    [[nodiscard]] CommEntry* find_window(MPI_Win win) noexcept {
        CommEntry* entry = comms_.find_window(win);
        if (entry == nullptr) [[unlikely]]
            give_up();
        return entry;
    }
    [[nodiscard]] bool begin() noexcept;
    /// Returns whether other processes read the record when this process is gone.
    [[nodiscard]] bool survives() const noexcept { return arena_.base() != nullptr; }
    /// Gives up the profile: this rank counts nothing more, but still takes part in finish().
    void give_up() noexcept {
        set_state(RecordState::given_up);
        recording_.store(false);
    }
    void set_state(RecordState state) noexcept {
        if (head_ != nullptr) head_->state.store(state);
    }
    [[nodiscard]] bool has_given_up() const noexcept {
        return head_ == nullptr || head_->state.load() == RecordState::given_up;
    }
    [[nodiscard]] std::string record_bytes() const noexcept;

    /// The operations of the persistent request that this thread makes; null: it makes none.
    // NOLINTNEXTLINE(readability-identifier-naming): the suffix rule does not know static members
    static constinit thread_local PersistentOperations* operations_;
    std::atomic<bool> recording_{false};
    bool timed_ = false;
    RecordHead* head_ = nullptr;  ///< null: there was no memory
    SignatureTable signatures_;
    ThreadTable threads_;
    CommMap comms_;
    RequestTable requests_;
    TopologyLog topologies_;
    Arena arena_;
    Phases phases_;

    bool takes_part_ = false;   ///< in finish()
    bool alone_ = false;        ///< the ranks cannot tell each other: slurmstepd gathers
    bool asks_at_end_ = false;  ///< finish() asks whether the other ranks take part
    bool finished_by_mpi_ = false;
    bool delivered_ = false;  ///< rank 0 has this rank's record
    /// This rank alone has no memory of slurmstepd's, for its limit of address space is near.
    bool lacks_space_ = false;
    pid_t pid_ = 0;
    int rank_ = 0;
    int size_ = 0;
};

extern Recorder recorder;

}  // namespace commmap::hooks
