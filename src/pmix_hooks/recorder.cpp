// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/recorder.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/recording/record_sources_generated.hpp"
#include "core/program/application_id.hpp"
#include "pmix_hooks/exchange/gather.hpp"
#include "pmix_hooks/exchange/participation.hpp"
#include "pmix_hooks/exchange/rank_location.hpp"
#include "pmix_hooks/exchange/server_socket.hpp"
#include "pmix_hooks/memory/handed_memory.hpp"
#include "pmix_hooks/mpi/comm_attribute.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/output/described_run.hpp"
#include "pmix_hooks/output/rank_record_maker.hpp"
#include "pmix_hooks/output/save_aside.hpp"
#include "pmix_hooks/process/clock.hpp"
#include "pmix_hooks/process/environment.hpp"
#include "pmix_hooks/process/errno_saved.hpp"
#include "pmix_hooks/process/own_executable.hpp"
#include "pmix_hooks/process/print_line.hpp"
#include "pmix_hooks/rounds/statuses.hpp"

namespace commmap::hooks {

constinit Recorder recorder;
constinit thread_local PersistentOperations* Recorder::operations_ = nullptr;

namespace {

/// Returns whether MPI_Comm_spawn started this process. Such a process has a world of its own,
/// which is not the job's.
bool was_spawned() noexcept {
    MPI_Comm parent{};
    return PMPI(Comm_get_parent)(&parent) != MPI_SUCCESS || parent != comm_null();
}

/// Duplicates MPI_COMM_WORLD. Returns none when MPI refuses, for an error must not end the program.
MPI_Comm duplicate_of_world() noexcept {
    MPI_Errhandler handler{};
    if (PMPI(Comm_get_errhandler)(comm_world(), &handler) != MPI_SUCCESS) return {};
    PMPI(Comm_set_errhandler)(comm_world(), errors_return());
    MPI_Comm copy{};
    if (PMPI(Comm_dup)(comm_world(), &copy) != MPI_SUCCESS) copy = {};
    PMPI(Comm_set_errhandler)(comm_world(), handler);
    PMPI(Errhandler_free)(&handler);
    if (copy != MPI_Comm{}) PMPI(Comm_set_errhandler)(copy, errors_return());
    return copy;
}

/// Gathers the records on rank 0; called by all ranks.
/// Uses a communicator of its own, so that it meets none of the program's messages: neither
/// unexpected ones nor a receive that the program has left posted.
Gathered gather_on_own_communicator(int rank, int size, const std::string& record,
                                    std::size_t max_bytes, std::span<char> room) noexcept {
    MPI_Comm own_comm = duplicate_of_world();
    if (own_comm == MPI_Comm{}) return {};
    Gathered gathered = gather_to_root(own_comm, rank, size, record, max_bytes, room);
    PMPI(Comm_free)(&own_comm);
    return gathered;
}

/// Returns whether MPI_COMM_WORLD is the whole job step, whose profile is wanted; true outside of
/// Slurm.
/// A rank's own children (a tool that happens to use MPI, an mpirun in a script) have the same
/// environment and another world.
bool is_whole_step(int size) noexcept {
    const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    return tasks == nullptr || std::getenv("SLURM_HET_SIZE") != nullptr ||
           std::strtol(tasks, nullptr, 10) == size;
}

/// Keeps the recorder from this process's children. The environment is changed in place, for other
/// threads may be reading it.
void hide_from_children() noexcept {
    leave_preload();
    if (char* value = std::getenv("COMMMAP_RECORD")) *value = '0';
}

/// Returns whether this run can be recorded. If not, one of the ranks with the recorder says why.
/// @param alone  this rank's record may stay in this rank's memory
bool can_be_recorded(int rank, int size, bool alone) noexcept {
    const bool whole_step = is_whole_step(size);
    if (whole_step && (alone || Participation::can_answer(size))) return true;
    if (rank != 0) return false;
    try {
        if (whole_step && own_abi == MpiAbi::open_mpi)
            print_line(
                "not recorded: the MPI library does not tell the ranks of each other over the "
                "system's PMIx (libpmix.so.2); use srun --mpi=pmix, and leave Open MPI's "
                "pmix_base_collect_data at 1");
        else if (whole_step)
            print_line(
                "not recorded: what ranks of this MPI library record is kept in memory from "
                "slurmstepd, and this task was given none, or may not have 128 MiB more of address "
                "space (ulimit -v); launch it by srun --commmap=profile, not in a heterogeneous "
                "job");
        else if (is_set_to("SLURM_PROCID", "0"))
            print_line("not recorded: MPI_COMM_WORLD has " + std::to_string(size) +
                       " ranks, the job step " + environment("SLURM_STEP_NUM_TASKS") +
                       " tasks (is srun's --mpi the one this MPI library needs?)");
    } catch (const std::exception&) {
        return false;
    }
    return false;
}

/// Says that the MPI library is unknown; called by only one of the recorder's two libraries.
void print_unknown_mpi() noexcept {
    hide_from_children();
    if (is_set_to("SLURM_PROCID", "0"))
        print_line(
            "not recorded: the program's MPI library is neither Open MPI nor one with the ABI of "
            "MPICH (libmpi.so.12)");
}

/// Returns whether all ranks have the recorder. If not, one of the ranks with the recorder says
/// which rank lacks it.
/// @param silent  the records will be collected, and the collector tells then
bool everyone_takes_part(int rank, int size, bool separately, bool silent) noexcept {
    const Participation::Result found = Participation::everyone_present(rank, size, separately);
    if (found.answer == Participation::Answer::all) return true;
    if (!found.is_first || silent) return false;
    if (found.answer == Participation::Answer::no_exchange) {
        print_line("not recorded: PMIx does not answer");
        return false;
    }
    try {
        print_line(
            "not recorded: rank " + std::to_string(found.missing) +
            " runs without the recorder (is it on every node, does a script unset LD_PRELOAD, is "
            "every program dynamically linked?)");
    } catch (const std::exception&) {
        return false;
    }
    return false;
}

void print_why_not(const Participation::Result& found) noexcept {
    if (!found.is_first) return;
    // The message names no rank: on a node that one rank has left, PMIx may have nothing of the
    // others either.
    print_line(found.answer == Participation::Answer::not_all
                   ? "no profile of this run: not every rank ended through MPI_Finalize"
                   : "no profile of this run: PMIx does not answer");
}

int finish_recorder(MPI_Comm, int, void*, void*) {
    recorder.finish();
    return MPI_SUCCESS;
}

Result<std::string> application_id() {
    std::string id = environment("COMMMAP_APP_ID");
    if (!id.empty()) return id;
    auto own = own_application_id();
    if (own) own.value() = with_tag(own.value(), environment("COMMMAP_TAG"));
    return own;
}

/// Shortens a record.
/// Gathering costs 20 to 50 ms, too much for a run of seconds. So slices of a short run become
/// longer until its record fits into the exchange without gathering.
void shorten(RankRecord& record, int num_ranks) {
    constexpr double short_run_s = 10.0;
    const std::size_t handed_over = Participation::most_bytes_of_record(num_ranks);
    if (record.wall_s < short_run_s && record.slice_s > 0.0 && handed_over > 0) {
        for (const bool keeps_waits : {true, false}) {
            RankRecord shorter = record;
            if (!keeps_waits) shorter.waits.clear();
            const std::size_t rest =
                encode_rank_record(shorter).size() - section_bytes(shorter) + most_padding_bytes;
            limit_sections(shorter, rest < handed_over ? handed_over - rest : 0);
            if (rest + section_bytes(shorter) > handed_over) continue;
            record = std::move(shorter);
            return;
        }
    }
    limit_sections(record, most_section_bytes(static_cast<std::size_t>(num_ranks)));
    limit_lists(record, most_record_bytes(static_cast<std::size_t>(num_ranks)));
}

void print_why_not_gathered(Gathered::End end) noexcept {
    try {
        print_line("no profile of this run: ",
                   end == Gathered::End::too_large
                       ? "what the ranks recorded is more than " +
                             std::to_string(max_gathered_bytes_outside_slurm >> 20) + " MiB"
                       : "a rank could not send what it recorded (no memory, or an MPI error)");
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace

void Recorder::before_init() noexcept {
    if (!takes_part_ && is_set_to("COMMMAP_RECORD", "1") && loaded_abi() == own_abi)
        Participation::open(record_sources);
}

void Recorder::after_init(bool succeeded) noexcept {
    Participation::close();
    const ErrnoSaved errno_saved;
    if (!succeeded || takes_part_ || !is_set_to("COMMMAP_RECORD", "1")) return;
    const MpiAbi abi = loaded_abi();
    if (abi == MpiAbi::other) return print_unknown_mpi();
    if (abi != own_abi || PMPI(Comm_rank)(comm_world(), &rank_) != MPI_SUCCESS ||
        PMPI(Comm_size)(comm_world(), &size_) != MPI_SUCCESS)
        return;
    if (was_spawned()) {
        hide_from_children();
        if (rank_ == 0)
            print_line(
                "not recorded: processes that MPI_Comm_spawn starts have an MPI_COMM_WORLD of "
                "their own; the profile is of those that started them");
        return;
    }
    if (const int memory = handed_memory(); memory >= 0) {
        lacks_space_ = !arena_.open(memory) && !Arena::has_space();
        ::close(memory);
    }
    if (!can_be_recorded(rank_, size_, survives())) return;
    const bool apart = is_set_to(record_apart_variable, "1");
    if (apart && !survives()) {
        if (rank_ == 0)
            print_line(
                "not recorded: in a step of so many tasks a rank needs memory from slurmstepd, and "
                "this one was given none, or may not have 128 MiB more of address space (ulimit "
                "-v)");
        return;
    }
    alone_ = apart || !Participation::can_answer(size_);
    if (!alone_) {
        // One rank asks nobody. MPI_Finalize of Open MPI 4.1 may crash when its answer comes at
        // once (docs/user/recorder.md).
        if (size_ > 1) send_to_server_at_once();
        asks_at_end_ = Participation::asks_separately(size_);
        if (!asks_at_end_ && !everyone_takes_part(rank_, size_, false, survives())) alone_ = true;
        if (alone_ && !survives()) return;
    }
    // From here on this rank takes part in finish(), whatever fails on it. Until here nothing was
    // sent: with some PMIx fences, other ranks are still in MPI_Init.
    takes_part_ = true;
    pid_ = ::getpid();
    hide_from_children();
    if (survives()) ::pthread_atfork(nullptr, nullptr, [] { recorder.leave_to_parent(); });
    finished_by_mpi_ = call_at_finalize(finish_recorder);
    if (begin())
        recording_.store(true);
    else
        give_up();
}

void Recorder::after_session() noexcept {
    const ErrnoSaved errno_saved;
    // The program may yet call MPI_Init, and is recorded then.
    static std::atomic<bool> said{false};
    if (pid_ != 0 || !is_set_to("COMMMAP_RECORD", "1") || loaded_abi() != own_abi ||
        said.exchange(true))
        return;
    if (is_set_to("SLURM_PROCID", "0"))
        print_line(
            "not recorded: the program uses MPI by sessions alone (MPI_Session_init), and there "
            "is no MPI_COMM_WORLD");
}

bool Recorder::begin() noexcept {
    head_ = arena_.make<RecordHead>();
    if (head_ == nullptr) return false;
    int thread_level = MPI_THREAD_MULTIPLE;
    PMPI(Query_thread)(&thread_level);
    const bool concurrent = thread_level == MPI_THREAD_MULTIPLE;
    threads_concurrent.store(concurrent);
    timed_ = !is_set_to("COMMMAP_RECORD_TIME", "0");
    signatures_.open(arena_, head_->rounds);
    if (!threads_.open(arena_, static_cast<std::uint32_t>(size_), concurrent, head_->threads,
                       signatures_) ||
        !comms_.open(arena_, comm_world(), head_->groups) || !requests_.open(arena_))
        return false;
    topologies_.open(arena_, head_->topologies);
    head_->base = arena_.base();
    head_->rank = static_cast<std::uint32_t>(rank_);
    head_->size = static_cast<std::uint32_t>(size_);
    head_->location = find_rank_location();
    if (survives()) describe_run(*head_);
    head_->start_s = now_s();
    head_->start_ticks = ticks();
    phases_.open(arena_, head_->phases, {head_->threads, comms_}, timed_, head_->start_s,
                 head_->start_ticks);
    head_->layout = record_layout();
    return true;
}

/// Returns this rank's record; empty when something is missing. Then there is no profile, or a
/// profile without this rank.
std::string Recorder::record_bytes() const noexcept {
    try {
        if (has_given_up()) return "";
        Result<RankRecord> record = make_rank_record(MemoryView(), *head_);
        if (!record) return "";
        const Result<std::string> id = application_id();
        record.value().application_id = id ? id.value() : "";
        record.value().program = program_name(recorded_command());
        shorten(record.value(), size_);
        return encode_rank_record(record.value());
    } catch (const std::exception&) {
        return "";
    }
}

void Recorder::finish() noexcept {
    // A child of fork() must not use its parent's MPI.
    if (!takes_part_ || pid_ != ::getpid()) return;
    takes_part_ = false;
    const ErrnoSaved errno_saved;
    recording_.store(false);
    if (!has_given_up()) {
        head_->end_s = now_s();
        head_->end_ticks = ticks();
        phases_.finish(head_->end_ticks);
        threads_.finish_rounds();
        set_state(RecordState::finished);
    }
    if (alone_ || (asks_at_end_ && !everyone_takes_part(rank_, size_, true, survives())))
        return comms_.close();

    const std::string mine = record_bytes();
    // Rank 0 makes room for the others' records before it tells them that it has the records.
    // Without room it leaves all to slurmstepd, if the others have memory of slurmstepd's.
    std::size_t most = survives() ? max_gathered_bytes : max_gathered_bytes_outside_slurm;
    std::span<char> room;
    if (survives() && rank_ == 0 && head_ != nullptr && head_->layout != 0) {
        most = std::min(most, arena_.left());
        if (char* const place = arena_.make_array<char>(most)) room = {place, most};
    }
    constexpr std::size_t most_handed_over = std::size_t{256} << 10;  // with the frames
    const bool has_room =
        survives() ? room.size() >= mine.size() + most_handed_over : !lacks_space_;
    if (rank_ == 0 && !has_room) most = 0;
    Participation::Departure departure =
        Participation::everyone_leaving(rank_, size_, mine, has_room);
    if (departure.everyone.answer != Participation::Answer::all) {
        comms_.close();
        if (!survives()) print_why_not(departure.everyone);
        return;
    }
    Gathered gathered = departure.to_gather
                            ? gather_on_own_communicator(rank_, size_, mine, most, room)
                            : std::move(departure.handed_over);
    if (rank_ == 0 && !departure.to_gather) keep_record(gathered, mine);
    comms_.close();
    // If not all records are at rank 0, no rank may give up its memory: the records are collected
    // from there.
    delivered_ = gathered.end == Gathered::End::complete && (rank_ != 0 || has_room);
    const std::string_view records = gathered.records.view();
    if (rank_ == 0 && delivered_ && !room.empty() && records.size() <= room.size()) {
        if (!gathered.records.in_room()) std::copy(records.begin(), records.end(), room.begin());
        head_->gathered = room.data();
        head_->gathered_bytes = records.size();
        set_state(RecordState::gathered);
        delivered_ = false;  // slurmstepd still has to collect from here
    } else if (rank_ == 0 && delivered_) {
        save_aside(records, size_);
    } else if (rank_ == 0 && !survives() && !lacks_space_) {
        print_why_not_gathered(gathered.end);
    }
}

const Neighbours* Recorder::neighbours(MPI_Comm comm, CommEntry& entry) noexcept {
    const Neighbours* neighbours = comms_.neighbours(comm, entry);
    if (neighbours == nullptr) give_up();
    return neighbours;
}

void Recorder::arranged(MPI_Comm comm) noexcept {
    if (comm == comm_null() || topologies_.is_full()) return;
    CommEntry* entry = find(comm);
    if (entry != nullptr && entry->group->in_world) topologies_.add(comm, *entry, comms_);
}

void Recorder::sent(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept {
    if (destination == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find(comm)) [[likely]]
        sent_to(entry->group->peer(destination), bytes, RoundAct::sent);
}

void Recorder::put(MPI_Win win, int target, std::uint64_t bytes) noexcept {
    if (target == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find_window(win))
        sent_to(entry->group->peer(target), bytes, RoundAct::put);
}

void Recorder::got(MPI_Win win, int target, std::uint64_t bytes) noexcept {
    if (target == MPI_PROC_NULL) return;
    const CommEntry* entry = find_window(win);
    const RankId peer = entry == nullptr ? no_id : entry->group->peer(target);
    if (peer == no_id) return;
    if (!threads_.add(&ThreadCounters::fetched, RoundAct::fetched, peer, bytes)) give_up();
}

void Recorder::message(MPI_Comm comm, int destination, std::uint64_t bytes) noexcept {
    if (destination == MPI_PROC_NULL) return;
    if (const CommEntry* entry = find(comm))
        message_to(entry->group->peer(destination), bytes, RoundAct::sent);
}

void Recorder::request_started(MPI_Request request) noexcept {
    const Persistent persistent = requests_.find(request);
    if (!persistent.is_known) return;
    OpenRound* round = threads_.round();
    bool is_send = false;
    for (const PersistentOperations::Item& item : persistent.items) {
        if (item.act == RoundAct::sent && round != nullptr) {
            is_send = true;
            note_open_send(*round, item.bytes);
        }
        if (item.act == RoundAct::sent || item.act == RoundAct::put) {
            sent_to(item.what, item.bytes, item.act);
        } else if (item.collective != nullptr) {
            item.collective->add(item.bytes);
            if (round != nullptr) round->collective(item.collective->number, item.bytes);
        } else if (round != nullptr) {
            round->meeting(item.what);
        }
    }
    if (round != nullptr)
        round->request({.handle = handle_number(request),
                        .completes = persistent.completes,
                        .senders = persistent.senders,
                        .is_persistent = true,
                        .is_send = is_send});
}

/// Returns the effect of a receive from `source`, which may be MPI_ANY_SOURCE.
Persistent Recorder::receive(const RankGroup& senders, int source) noexcept {
    Persistent receive;
    if (source == MPI_ANY_SOURCE)
        receive.senders = &senders;
    else if (const RankId peer = senders.peer(source); peer != no_id)
        receive.completes = round_key(RoundAct::received, peer);
    return receive;
}

void Recorder::persistent_receive(MPI_Comm comm, int source, MPI_Request request) noexcept {
    const CommEntry* entry = find(comm);
    if (entry != nullptr && !requests_.insert(request, receive(*entry->group, source))) give_up();
}

void Recorder::receiving(MPI_Comm comm, int source, MPI_Request request) noexcept {
    const CommEntry* entry = find(comm);
    OpenRound* round = threads_.round();
    if (entry == nullptr || round == nullptr) return;
    const Persistent begun = receive(*entry->group, source);
    round->request(
        {.handle = handle_number(request), .completes = begun.completes, .senders = begun.senders});
}

RankId Recorder::received(OpenRound& round, const RankGroup& senders, int source) noexcept {
    const RankId peer = senders.peer(source);
    if (peer != no_id)
        round.act(round_key(RoundAct::received, peer));
    else if (source == unknown_source)
        round.set_unclear();
    return peer;
}

void Recorder::received(MPI_Comm comm, int source) noexcept {
    const CommEntry* entry = find(comm);
    OpenRound* round = threads_.round();
    if (entry == nullptr || round == nullptr || source == MPI_PROC_NULL) return;
    round->begin();
    waited_for(received(*round, *entry->group, source));
}

void Recorder::matched(MPI_Comm comm, int source, MPI_Message message, bool has_waited) noexcept {
    const CommEntry* entry = find(comm);
    OpenRound* round = threads_.round();
    if (entry == nullptr || round == nullptr || source == MPI_PROC_NULL) return;
    if (source == unknown_source) return round->set_unclear();
    const RankId sender = entry->group->peer(source);
    round->request({.handle = handle_number(message),
                    .completes = sender == no_id ? 0 : round_key(RoundAct::received, sender)});
    if (has_waited) waited_for(sender);
}

void Recorder::message_received_by(std::uintptr_t message, MPI_Request request) noexcept {
    OpenRound* round = threads_.round();
    if (round == nullptr) return;
    const OpenRequest taken = round->take(message);
    if (taken.handle == 0) return;
    round->request({.handle = handle_number(request), .completes = taken.completes});
}

void Recorder::join(const CommEntry* entry, const MPI_Request* request) noexcept {
    if (entry == nullptr || !entry->group->in_world) return;
    entry->group->is_met = true;
    const std::uint32_t group = entry->group->number;
    if (operations_ != nullptr) return operations_->add({RoundAct::begun, group, nullptr, 0});
    OpenRound* round = threads_.round();
    if (round == nullptr) return;
    round->meeting(group);
    const std::uint64_t completes = round_key(RoundAct::completed, group);
    if (request != nullptr)
        return round->request({.handle = handle_number(*request), .completes = completes});
    round->act(completes);
    round->close();
}

void Recorder::collective(RankGroup& group, CollectiveOp op, RankId root, std::uint64_t bytes,
                          bool in_peer_traffic) noexcept {
    if (!group.in_world) return;
    CollectiveCount* count = comms_.collective(
        group, op, root, collective_bucket(bytes, in_peer_traffic), in_peer_traffic);
    if (count == nullptr) return give_up();
    if (operations_ != nullptr) return operations_->add({RoundAct::collective, 0, count, bytes});
    count->add(bytes);
    if (OpenRound* round = threads_.round()) round->collective(count->number, bytes);
}

}  // namespace commmap::hooks
