#include "pmix_hooks/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "core/profile/rank_report.hpp"
#include "pmix_hooks/comm_attribute.hpp"
#include "pmix_hooks/environment.hpp"
#include "pmix_hooks/gather.hpp"
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/own_executable.hpp"
#include "pmix_hooks/profile_writer.hpp"
#include "pmix_hooks/report.hpp"
#include "pmix_hooks/roll_call.hpp"
#include "pmix_hooks/say.hpp"
#include "pmix_hooks/server_socket.hpp"

namespace commmap::hooks {

constinit Recorder recorder;
constinit thread_local Tape* Recorder::tape_ = nullptr;

namespace {

class ErrnoSaved {
public:
    ErrnoSaved() noexcept : saved_(errno) {}
    ~ErrnoSaved() { errno = saved_; }
    ErrnoSaved(const ErrnoSaved&) = delete;
    ErrnoSaved& operator=(const ErrnoSaved&) = delete;

private:
    int saved_;
};

/// A process started by MPI_Comm_spawn has a world of its own, which is not the job's.
bool was_spawned() noexcept {
    MPI_Comm parent = nullptr;
    return PMPI(Comm_get_parent)(&parent) != MPI_SUCCESS || parent != comm_null();
}

/// Null when MPI refuses; an error must not end the program.
MPI_Comm duplicate_of_world() noexcept {
    MPI_Errhandler handler = nullptr;
    if (PMPI(Comm_get_errhandler)(comm_world(), &handler) != MPI_SUCCESS) return nullptr;
    PMPI(Comm_set_errhandler)(comm_world(), errors_return());
    MPI_Comm copy = nullptr;
    if (PMPI(Comm_dup)(comm_world(), &copy) != MPI_SUCCESS) copy = nullptr;
    PMPI(Comm_set_errhandler)(comm_world(), handler);
    PMPI(Errhandler_free)(&handler);
    if (copy != nullptr) PMPI(Comm_set_errhandler)(copy, errors_return());
    return copy;
}

/// By all ranks. Over a communicator of its own, so that it meets none of the program's messages:
/// neither the unexpected ones nor a receive that the program has left posted.
Gathered gather_on_own_communicator(int rank, int size, const std::string& report) noexcept {
    MPI_Comm own_comm = duplicate_of_world();
    if (own_comm == nullptr) return {};
    Gathered gathered = gather_to_root(own_comm, rank, size, report);
    PMPI(Comm_free)(&own_comm);
    return gathered;
}

/// The profile is of a job step. A rank's own children (a tool that happens to use MPI, an mpirun
/// in a script) have the same environment and another world. True outside of Slurm.
bool is_whole_step(int size) noexcept {
    const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    return tasks == nullptr || std::getenv("SLURM_HET_SIZE") != nullptr ||
           std::strtol(tasks, nullptr, 10) == size;
}

/// In place, for other threads may be reading the environment.
void hide_from_children() noexcept {
    if (char* value = std::getenv("COMMMAP_RECORD")) *value = '0';
}

/// Of the ranks that have the recorder one says why there will be no profile.
bool can_be_recorded(int rank, int size) noexcept {
    const bool whole_step = is_whole_step(size);
    if (whole_step && RollCall::can_answer(size)) return true;
    if (rank != 0) return false;
    try {
        if (whole_step)
            say("not recorded: the MPI library does not tell the ranks of each other over the "
                "system's PMIx (libpmix.so.2); use srun --mpi=pmix, and leave Open MPI's "
                "pmix_base_collect_data at 1");
        else if (is_set_to("SLURM_PROCID", "0"))
            say("not recorded: MPI_COMM_WORLD has " + std::to_string(size) +
                " ranks, the job step " + environment("SLURM_STEP_NUM_TASKS") +
                " tasks (is srun's --mpi the one this MPI library needs?)");
    } catch (const std::exception&) {
        return false;
    }
    return false;
}

/// Of the ranks that have the recorder one says which one has not.
bool everyone_takes_part(int rank, int size, bool separately) noexcept {
    const RollCall::Result found = RollCall::everyone_present(rank, size, separately);
    if (found.answer == RollCall::Answer::all) return true;
    if (!found.is_first) return false;
    if (found.answer == RollCall::Answer::no_exchange) {
        say("not recorded: PMIx does not answer");
        return false;
    }
    try {
        say("not recorded: rank " + std::to_string(found.missing) +
            " runs without the recorder (is it on every node, does a script unset LD_PRELOAD, is "
            "every program dynamically linked?)");
    } catch (const std::exception&) {
        return false;
    }
    return false;
}

void say_why_not(const RollCall::Result& found) noexcept {
    if (!found.is_first) return;
    // Not which rank: of a node that one has left PMIx may have nothing of the others either.
    say(found.answer == RollCall::Answer::not_all
            ? "no profile of this run: not every rank ended through MPI_Finalize"
            : "no profile of this run: PMIx does not answer");
}

int finish_recorder(MPI_Comm, int, void*, void*) {
    recorder.finish();
    return MPI_SUCCESS;
}

bool call_at_finalize() noexcept {
    int keyval = MPI_KEYVAL_INVALID;
    if (PMPI(Comm_create_keyval)(copy_nothing<MPI_Comm>, finish_recorder, &keyval, nullptr) !=
        MPI_SUCCESS)
        return false;
    const bool set = PMPI(Comm_set_attr)(comm_self(), keyval, nullptr) == MPI_SUCCESS;
    PMPI(Comm_free_keyval)(&keyval);  // once the attribute is gone
    return set;
}

Result<std::string> application_id() {
    std::string id = environment("COMMMAP_APP_ID");
    if (!id.empty()) return id;
    return own_application_id();
}

void write_and_say(Gathered gathered) noexcept {
    try {
        const Result<std::string> written = write_profile(std::move(gathered));
        if (!written)
            say("no profile of this run: ", written.error().message);
        else if (is_set_to("COMMMAP_VERBOSE", "1"))
            say(written.value());
    } catch (const std::exception& e) {
        say("no profile of this run: ", e.what());
    }
}

}  // namespace

void Recorder::before_init() noexcept {
    if (!takes_part_ && is_set_to("COMMMAP_RECORD", "1")) RollCall::open();
}

void Recorder::after_init(bool succeeded) noexcept {
    RollCall::close();
    const ErrnoSaved errno_saved;
    if (!succeeded || takes_part_ || !is_set_to("COMMMAP_RECORD", "1") || !is_open_mpi() ||
        was_spawned() || PMPI(Comm_rank)(comm_world(), &rank_) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm_world(), &size_) != MPI_SUCCESS || !can_be_recorded(rank_, size_))
        return;
    send_to_server_at_once();
    asks_at_end_ = RollCall::asks_separately(size_);
    if (!asks_at_end_ && !everyone_takes_part(rank_, size_, false)) return;
    // From here on this rank takes part in finish(), whatever fails on it. Until then nothing is
    // sent: with some PMIx fences other ranks are still in MPI_Init.
    takes_part_ = true;
    pid_ = ::getpid();
    hide_from_children();
    finished_by_mpi_ = call_at_finalize();
    if (begin())
        recording_.store(true);
    else
        give_up();
}

bool Recorder::begin() noexcept {
    int thread_level = MPI_THREAD_MULTIPLE;
    PMPI(Query_thread)(&thread_level);
    threads_concurrent.store(thread_level == MPI_THREAD_MULTIPLE);
    timed_ = !is_set_to("COMMMAP_RECORD_TIME", "0");
    if (!peers_.open(arena_, static_cast<std::uint32_t>(size_)) ||
        !fetched_.open(arena_, static_cast<std::uint32_t>(size_)) ||
        !comms_.open(arena_, comm_world()) || !requests_.open(arena_))
        return false;
    place_ = find_place();
    start_s_ = now_s();
    start_ticks_ = ticks();
    return true;
}

void Recorder::finish() noexcept {
    // A child of fork() has no business in the parent's MPI.
    if (!takes_part_ || pid_ != ::getpid()) return;
    takes_part_ = false;
    const ErrnoSaved errno_saved;
    const double wall_s = std::max(0.0, now_s() - start_s_);
    const std::uint64_t wall_ticks = ticks() - start_ticks_;
    recording_.store(false);
    if (asks_at_end_ && !everyone_takes_part(rank_, size_, true)) return comms_.close();

    std::string mine;  // stays empty when something is missing: rank 0 then writes nothing
    try {
        if (!incomplete_.load()) {
            RankReport report = make_report(static_cast<RankId>(rank_), peers_, fetched_, comms_);
            const Result<std::string> id = application_id();
            report.application_id = id ? id.value() : "";
            report.node = place_.node;
            report.node_id = place_.node_id;
            report.cpus = place_.cpus;
            report.wall_s = wall_s;
            if (wall_ticks > 0)
                report.mpi_s = std::min(wall_s, wall_s * static_cast<double>(mpi_ticks_.value()) /
                                                    static_cast<double>(wall_ticks));
            mine = encode_rank_report(report);
        }
    } catch (const std::exception&) {
        mine.clear();
    }
    RollCall::Departure departure = RollCall::everyone_leaving(rank_, size_, mine);
    if (departure.everyone.answer != RollCall::Answer::all) {
        comms_.close();
        return say_why_not(departure.everyone);
    }
    Gathered gathered = departure.to_gather ? gather_on_own_communicator(rank_, size_, mine)
                                            : std::move(departure.handed_over);
    if (rank_ == 0) {
        if (!departure.to_gather) keep_report(gathered, mine);
        write_and_say(std::move(gathered));
    }
    comms_.close();
}

const Neighbours* Recorder::neighbours(MPI_Comm comm, CommEntry& entry) noexcept {
    const Neighbours* neighbours = comms_.neighbours(comm, entry);
    if (neighbours == nullptr) give_up();
    return neighbours;
}

void Recorder::sent(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept {
    if (destination == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find(comm)) [[likely]]
        sent_to(entry->group->peer(destination), bytes);
}

void Recorder::put(MPI_Win win, int target, std::uint64_t bytes) noexcept {
    if (target == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find(win)) sent_to(entry->group->peer(target), bytes);
}

void Recorder::got(MPI_Win win, int target, std::uint64_t bytes) noexcept {
    if (target == MPI_PROC_NULL) return;
    const CommEntry* entry = find(win);
    const RankId peer = entry == nullptr ? no_id : entry->group->peer(target);
    if (peer != no_id && !fetched_.add(peer, bytes)) give_up();
}

void Recorder::message(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept {
    if (destination == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find(comm)) message_to(entry->group->peer(destination), bytes);
}

void Recorder::request_started(MPI_Request request) noexcept {
    for (const Tape::Item& item : requests_.find(request)) {
        if (item.collective == nullptr)
            sent_to(item.peer, item.bytes);
        else
            item.collective->add(item.bytes);
    }
}

void Recorder::collective(RankGroup& group, CollectiveOp op, RankId root, std::uint64_t bytes,
                          bool in_peer_traffic) noexcept {
    if (!group.in_world) return;
    CollectiveCount* count = comms_.collective(group, op, root, in_peer_traffic);
    if (count == nullptr) return give_up();
    if (tape_ == nullptr)
        count->add(bytes);
    else
        tape_->add({no_id, count, bytes});
}

}  // namespace commmap::hooks
