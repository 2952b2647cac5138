// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <fmt/core.h>
#include <otf2/otf2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#include "core/import/collective_sums.hpp"
#include "core/import/importer.hpp"
#include "core/import/isolated_call.hpp"
#include "core/import/message_list.hpp"
#include "core/import/otf2_collective.hpp"
#include "core/import/otf2_definitions.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

struct ArchiveOperation {
    OTF2_CollectiveOp archive;
    CollectiveOp op;
    bool rooted = false;
    bool by_destination = false;  ///< each member has its own length
};
constexpr std::array archive_operations{
    ArchiveOperation{OTF2_COLLECTIVE_OP_BARRIER, CollectiveOp::barrier},
    ArchiveOperation{OTF2_COLLECTIVE_OP_BCAST, CollectiveOp::bcast, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_GATHER, CollectiveOp::gather, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_GATHERV, CollectiveOp::gather, true, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_SCATTER, CollectiveOp::scatter, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_SCATTERV, CollectiveOp::scatter, true, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLGATHER, CollectiveOp::allgather},
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLGATHERV, CollectiveOp::allgather},
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLTOALL, CollectiveOp::alltoall},
    // Nothing tells how much of an alltoallv goes to whom, so each member gets the mean.
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLTOALLV, CollectiveOp::alltoall},
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLTOALLW, CollectiveOp::alltoall},
    ArchiveOperation{OTF2_COLLECTIVE_OP_ALLREDUCE, CollectiveOp::allreduce},
    ArchiveOperation{OTF2_COLLECTIVE_OP_REDUCE, CollectiveOp::reduce, true},
    ArchiveOperation{OTF2_COLLECTIVE_OP_REDUCE_SCATTER, CollectiveOp::reduce_scatter},
    ArchiveOperation{OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, CollectiveOp::reduce_scatter},
    ArchiveOperation{OTF2_COLLECTIVE_OP_SCAN, CollectiveOp::scan},
    ArchiveOperation{OTF2_COLLECTIVE_OP_EXSCAN, CollectiveOp::exscan},
};

/// Keeps the message that libotf2 would print when a call fails.
struct ArchiveFault {
    std::string text;

    static OTF2_ErrorCode note(void* data, const char* /*file*/, std::uint64_t /*line*/,
                               const char* /*function*/, OTF2_ErrorCode code, const char* format,
                               std::va_list arguments) {
        std::string& text = static_cast<ArchiveFault*>(data)->text;
        if (!text.empty()) return code;  // the first message is the cause
        char line[256] = "";
        if (format != nullptr) std::vsnprintf(line, sizeof line, format, arguments);
        text = fmt::format("{}: {}", OTF2_Error_GetDescription(code), one_line(line));
        return code;
    }
};

/// Returns DIR/NAME of DIR/NAME.otf2: the directory of the event files. The definitions are in
/// DIR/NAME.def.
std::string archive_stem(const std::string& path) {
    constexpr std::string_view ending = ".otf2";
    return path.ends_with(ending) ? path.substr(0, path.size() - ending.size())
                                  : path + ".no-archive";
}

/// Tells whether an event file is whole. A file that was cut, or that a killed program left, lacks
/// the marks of the end of a chunk and of the file. Without these marks, libotf2 3.0.2 goes on with
/// what is in its buffer, even with another rank's events, and sometimes for ever.
bool is_whole_event_file(const std::string& path) {
    constexpr std::array<char, 2> marks = {2, 1};
    std::array<char, 2> last{};
    const auto file = open_file(path, UINT64_MAX);
    return file && file.value().size_bytes >= marks.size() &&
           ::pread(file.value().fd.get(), last.data(), last.size(),
                   static_cast<off_t>(file.value().size_bytes - marks.size())) ==
               static_cast<ssize_t>(last.size()) &&
           last == marks;
}

/// Reads the events of one rank after the other. Of the events of a rank, the reader keeps a sum
/// for each other rank and size bucket.
class ArchiveReader {
public:
    Result<Imported> read(const std::string& path, const ImportOptions& options) {
        OTF2_Error_RegisterCallback(&ArchiveFault::note, &fault_);
        event_files_ = archive_stem(path) + "/";
        reader_.reset(OTF2_Reader_Open(path.c_str()));
        if (!reader_) return failed("cannot be opened");
        if (OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()) != OTF2_SUCCESS)
            return failed("cannot be opened");
        if (Status s = read_definitions(); !s) return s.error();
        Profile& profile = imported_.profile;
        if (options.num_ranks > 0 && options.num_ranks != profile.num_ranks())
            return Error{Errc::invalid_input, fmt::format("{} ranks instead of {} (--ntasks)",
                                                          profile.num_ranks(), options.num_ranks)};
        read_creator();
        if (Status s = read_events(); !s) return s.error();
        Phase& phase = profile.phases.emplace_back();
        phase.sent = messages_.rows(profile.num_ranks());
        for (const auto& [key, sum] : collectives_.sums())
            phase.collectives.push_back(record_of(key, sum, key.communicator));
        for (const ProfileRank& rank : profile.ranks) {
            phase.wall_s += rank.wall_s / static_cast<double>(profile.num_ranks());
            phase.mpi_s += rank.mpi_s / static_cast<double>(profile.num_ranks());
        }
        return std::move(imported_);
    }

private:
    struct CloseReader {
        void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
    };

    [[nodiscard]] Error failed(const std::string& what) const {
        return Error{Errc::invalid_input, what + (fault_.text.empty() ? "" : ": " + fault_.text)};
    }

    Status read_definitions() {
        OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
        if (definitions == nullptr) return failed("has no definitions");
        const std::unique_ptr<OTF2_GlobalDefReaderCallbacks,
                              FreeWith<OTF2_GlobalDefReaderCallbacks_Delete>>
            callbacks(OTF2_GlobalDefReaderCallbacks_New());
        Otf2Definitions::set_callbacks(*callbacks);
        std::uint64_t count = 0;
        if (OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks.get(),
                                                   &definitions_) != OTF2_SUCCESS ||
            OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &count) !=
                OTF2_SUCCESS)
            return failed("its definitions cannot be read");
        return definitions_.finish(imported_.profile);
    }

    void read_creator() {
        char* creator = nullptr;
        if (OTF2_Reader_GetCreator(reader_.get(), &creator) != OTF2_SUCCESS || creator == nullptr)
            return;
        const std::unique_ptr<char, FreeWith<std::free>> text(creator);
        if (std::strncmp(creator, "Score-P", 7) == 0) sizes_ = CollectiveSizes::all_members;
    }

    Status read_events() {
        for (const Otf2Definitions::Thread& thread : definitions_.threads())
            if (OTF2_Reader_SelectLocation(reader_.get(), thread.location) != OTF2_SUCCESS)
                return failed("its events cannot be read");
        // Archives without local definitions have nothing to translate.
        const bool has_local = OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS;
        fault_.text.clear();
        if (OTF2_Reader_OpenEvtFiles(reader_.get()) != OTF2_SUCCESS)
            return failed("its events cannot be read");
        const std::unique_ptr<OTF2_EvtReaderCallbacks, FreeWith<OTF2_EvtReaderCallbacks_Delete>>
            callbacks(OTF2_EvtReaderCallbacks_New());
        set_callbacks(*callbacks);
        const auto& threads = definitions_.threads();
        for (std::size_t i = 0; i < threads.size(); ++i) {
            rank_ = threads[i].rank;
            if (i == 0 || threads[i - 1].rank != rank_) begin_rank();
            if (Status s = read_thread(threads[i].location, has_local, *callbacks); !s) return s;
            if (i + 1 == threads.size() || threads[i + 1].rank != rank_)
                if (Status s = end_rank(); !s) return s;
        }
        if (has_local) OTF2_Reader_CloseDefFiles(reader_.get());
        OTF2_Reader_CloseEvtFiles(reader_.get());
        return Ok{};
    }

    Status read_thread(OTF2_LocationRef location, bool has_local,
                       const OTF2_EvtReaderCallbacks& callbacks) {
        const auto damaged = [&] {
            return failed(fmt::format("the events of rank {} cannot be read", rank_));
        };
        std::uint64_t count = 0;
        if (has_local) {
            OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_.get(), location);
            if (local != nullptr) {
                const bool read = OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), local,
                                                                      &count) == OTF2_SUCCESS;
                OTF2_Reader_CloseDefReader(reader_.get(), local);
                if (!read) return damaged();
            }
        }
        OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
        OTF2_Reader_GetCompression(reader_.get(), &compression);
        const std::string file = fmt::format("{}.evt", location);
        if (compression == OTF2_COMPRESSION_NONE && !is_whole_event_file(event_files_ + file))
            return Error{
                Errc::invalid_input,
                fmt::format(
                    "the events of rank {} are not whole ({} does not end as an event file does)",
                    rank_, file)};
        fault_.text.clear();
        OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_.get(), location);
        if (events == nullptr) return damaged();
        mpi_depth_ = 0;
        const bool read =
            OTF2_Reader_RegisterEvtCallbacks(reader_.get(), events, &callbacks, this) ==
                OTF2_SUCCESS &&
            OTF2_Reader_ReadAllLocalEvents(reader_.get(), events, &count) == OTF2_SUCCESS;
        OTF2_Reader_CloseEvtReader(reader_.get(), events);
        if (!wrong_.empty())
            return Error{Errc::invalid_input, fmt::format("an event of rank {} {}", rank_, wrong_)};
        return read ? Status(Ok{}) : damaged();
    }

    void begin_rank() {
        sent_.clear();
        fetched_.clear();
        calls_.clear();
        has_times_ = false;
        begin_ = end_ = 0;
        init_end_.reset();
        finalize_begin_.reset();
        mpi_ticks_ = 0;
    }

    /// Completes a rank. The wall time is from MPI_Init's end to MPI_Finalize's begin; if the
    /// archive does not have these calls, from the first event to the last.
    Status end_rank() {
        ProfileRank& rank = imported_.profile.ranks[rank_];
        const std::uint64_t begin = init_end_.value_or(begin_);
        const std::uint64_t end = finalize_begin_.value_or(end_);
        rank.wall_s = end > begin ? in_seconds(end - begin) : 0.0;
        rank.mpi_s = std::min(in_seconds(mpi_ticks_), rank.wall_s);
        for (const auto& [call, sum] : calls_)
            rank.calls.push_back({call, static_cast<float>(in_seconds(sum.ticks)), sum.count});
        std::sort(rank.calls.begin(), rank.calls.end(),
                  [](const CallTime& a, const CallTime& b) { return a.call < b.call; });
        for (const bool to_others : {true, false})
            for (const auto& [key, sum] : to_others ? sent_ : fetched_) {
                const auto peer = static_cast<RankId>(key / num_size_buckets);
                Status added = messages_.add(to_others ? rank_ : peer, to_others ? peer : rank_,
                                             sum.count, sum.bytes);
                if (!added) return added;
            }
        return Ok{};
    }

    [[nodiscard]] double in_seconds(std::uint64_t ticks) const {
        const double rate = definitions_.ticks_per_s();
        return rate > 0.0 ? static_cast<double>(ticks) / rate : 0.0;
    }

    // Handlers of events. A handler that returns false ends the reading, and `wrong_` says why.

    /// Larger numbers are MPI_PROC_NULL and the like, which EZTrace writes with mpi.h's values.
    static constexpr std::uint32_t highest_rank = INT32_MAX;

    void note_time(std::uint64_t time) {
        begin_ = has_times_ ? std::min(begin_, time) : time;
        end_ = has_times_ ? std::max(end_, time) : time;
        has_times_ = true;
    }

    bool enter(std::uint64_t time, OTF2_RegionRef ref) {
        note_time(time);
        const Otf2Definitions::Region region = definitions_.region(ref);
        if (region.kind == Otf2Definitions::Region::Kind::finalize && !finalize_begin_)
            finalize_begin_ = time;
        if (region.kind != Otf2Definitions::Region::Kind::call) return true;
        if (mpi_depth_++ > 0) return true;
        mpi_begin_ = time;
        mpi_call_ = region.call;
        return true;
    }

    bool leave(std::uint64_t time, OTF2_RegionRef ref) {
        note_time(time);
        const Otf2Definitions::Region region = definitions_.region(ref);
        if (region.kind == Otf2Definitions::Region::Kind::init) init_end_ = time;
        if (region.kind != Otf2Definitions::Region::Kind::call || mpi_depth_ == 0) return true;
        if (--mpi_depth_ > 0) return true;
        const std::uint64_t ticks = time > mpi_begin_ ? time - mpi_begin_ : 0;
        mpi_ticks_ += ticks;
        CallSum& sum = calls_[mpi_call_];
        sum.ticks += ticks;
        ++sum.count;
        return true;
    }

    bool message(const Otf2Definitions::Communicator* communicator, std::uint32_t other,
                 std::uint64_t bytes, bool from_other) {
        if (other > highest_rank) return true;
        if (communicator == nullptr) return refuse("is on a communicator that is not defined");
        const auto peer = communicator->world_rank(rank_, other);
        if (!peer)
            return refuse(
                fmt::format("names rank {}, which its communicator does not have", other));
        return add(from_other ? fetched_ : sent_, *peer, bytes);
    }

    bool collective(OTF2_CollectiveOp archive_op, OTF2_CommRef ref, std::uint32_t root,
                    std::uint64_t sent, std::uint64_t received) {
        const auto* const known =
            std::find_if(archive_operations.begin(), archive_operations.end(),
                         [&](const ArchiveOperation& row) { return row.archive == archive_op; });
        if (known == archive_operations.end()) return true;  // makes communicators or files
        const Otf2Definitions::Communicator* const communicator = definitions_.communicator(ref);
        if (communicator == nullptr) return refuse("is on a communicator that is not defined");
        if (communicator->is_self || communicator->members.empty()) return true;
        CollectiveSums::Key key{.communicator = communicator->number, .op = known->op};
        CollectiveSeen seen{.op = known->op, .sent_bytes = sent, .received_bytes = received};
        // EZTrace writes no intercommunicators, but roots that only intercommunicators have
        // (MPI_ROOT).
        const bool is_inter =
            !communicator->other_group.empty() || (known->rooted && root > highest_rank);
        if (is_inter) {
            // Counts only the call, because who sent what to whom depends on the group.
            key.in_peer_traffic = true;
            return count(key, 0);
        }
        const std::vector<RankId>& members = communicator->members;
        seen.num_members = members.size();
        const bool position_matters =
            known->op == CollectiveOp::scan || known->op == CollectiveOp::exscan;
        if (position_matters)
            seen.position = static_cast<std::uint64_t>(
                std::find(members.begin(), members.end(), rank_) - members.begin());
        if (known->rooted) {
            const auto world = communicator->world_rank(rank_, root);
            if (!world)
                return refuse(
                    fmt::format("names root {}, which its communicator does not have", root));
            key.root = *world;
            seen.is_root = *world == rank_;
        }
        if (!known->by_destination) return count(key, member_bytes(seen, sizes_));
        key.in_peer_traffic = true;
        const std::uint64_t part = known->op == CollectiveOp::gather ? sent : received;
        const bool is_message = !seen.is_root && part > 0;
        if (is_message &&
            !add(known->op == CollectiveOp::gather ? sent_ : fetched_, key.root, part))
            return false;
        return count(key, part);
    }

    bool count(const CollectiveSums::Key& key, std::uint64_t bytes) {
        const Status added = collectives_.add(key, rank_, 1, bytes);
        return added ? true : refuse("is one too many: " + added.error().message);
    }

    struct CallSum {
        std::uint64_t ticks = 0;
        std::uint64_t count = 0;
    };
    struct LengthSum {
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
    };
    using Peers = std::unordered_map<std::uint64_t, LengthSum>;

    bool add(Peers& peers, RankId peer, std::uint64_t bytes) {
        LengthSum& sum = peers[std::uint64_t{peer} * num_size_buckets + size_bucket(bytes)];
        ++sum.count;
        if (!__builtin_add_overflow(sum.bytes, bytes, &sum.bytes)) return true;
        return refuse(
            fmt::format("has {} bytes, with which they are more than 64 bits can count", bytes));
    }

    bool refuse(std::string why) {
        if (wrong_.empty()) wrong_ = std::move(why);
        return false;
    }

    static OTF2_CallbackCode done(bool good) {
        return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
    }
    static ArchiveReader& self(void* data) { return *static_cast<ArchiveReader*>(data); }
    static void set_callbacks(OTF2_EvtReaderCallbacks& callbacks);

    std::string event_files_;  ///< directory of the event files, with the slash
    ArchiveFault fault_;
    std::unique_ptr<OTF2_Reader, CloseReader> reader_;
    Imported imported_;
    Otf2Definitions definitions_;
    CollectiveSizes sizes_ = CollectiveSizes::buffer;
    ImportedSums sums_;
    MessageList messages_{sums_};
    CollectiveSums collectives_;
    std::string wrong_;

    // of the rank that is read
    RankId rank_ = 0;
    Peers sent_;
    Peers fetched_;
    std::unordered_map<std::uint32_t, CallSum> calls_;
    bool has_times_ = false;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::optional<std::uint64_t> init_end_;
    std::optional<std::uint64_t> finalize_begin_;
    std::uint64_t mpi_ticks_ = 0;
    // of the thread that is read
    std::uint64_t mpi_depth_ = 0;
    std::uint64_t mpi_begin_ = 0;
    std::uint32_t mpi_call_ = 0;
};

// The callbacks' parameters are OTF2's.
// NOLINTBEGIN(bugprone-easily-swappable-parameters)
void ArchiveReader::set_callbacks(OTF2_EvtReaderCallbacks& callbacks) {
    using Attributes = OTF2_AttributeList*;
    using Position = std::uint64_t;
    OTF2_EvtReaderCallbacks_SetEnterCallback(
        &callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, Position, void* data, Attributes,
                       OTF2_RegionRef region) { return done(self(data).enter(time, region)); });
    OTF2_EvtReaderCallbacks_SetLeaveCallback(
        &callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, Position, void* data, Attributes,
                       OTF2_RegionRef region) { return done(self(data).leave(time, region)); });
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(
        &callbacks,
        [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes,
           std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t, std::uint64_t bytes) {
            ArchiveReader& to = self(data);
            return done(to.message(to.definitions_.communicator(comm), receiver, bytes, false));
        });
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
        &callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes,
                       std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t,
                       std::uint64_t bytes, std::uint64_t) {
            ArchiveReader& to = self(data);
            return done(to.message(to.definitions_.communicator(comm), receiver, bytes, false));
        });
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
        &callbacks,
        [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes, OTF2_CollectiveOp op,
           OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
            return done(self(data).collective(op, comm, root, sent, received));
        });
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        &callbacks,
        [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes, OTF2_CollectiveOp op,
           OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
           std::uint64_t) { return done(self(data).collective(op, comm, root, sent, received)); });
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(
        &callbacks,
        [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes,
           OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t bytes, std::uint64_t) {
            ArchiveReader& to = self(data);
            return done(to.message(to.definitions_.window(window), remote, bytes, false));
        });
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(
        &callbacks,
        [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes,
           OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t bytes, std::uint64_t) {
            ArchiveReader& to = self(data);
            return done(to.message(to.definitions_.window(window), remote, bytes, true));
        });
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(
        &callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, Position, void* data, Attributes,
                       OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaAtomicType,
                       std::uint64_t sent, std::uint64_t received, std::uint64_t) {
            ArchiveReader& to = self(data);
            const auto* const on = to.definitions_.window(window);
            // Counts as the recorder does: a message for each direction that has bytes.
            return done((sent == 0 || to.message(on, remote, sent, false)) &&
                        (received == 0 || to.message(on, remote, received, true)));
        });
}
// NOLINTEND(bugprone-easily-swappable-parameters)

/// Returns the total size of an archive's files.
/// Errors: not_found, io; invalid_input for a file that is not regular: libotf2 would wait for it.
Result<std::uint64_t> archive_bytes(const std::string& path) {
    constexpr std::string_view ending = ".otf2";
    const std::string name =
        path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path + ".no-archive";
    std::vector<std::string> files = {path, name + ".def"};
    if (const std::unique_ptr<DIR, FreeWith<::closedir>> directory(::opendir(name.c_str()));
        directory) {
        while (const dirent* entry = ::readdir(directory.get()))
            if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
                files.push_back(name + "/" + entry->d_name);
    }
    std::uint64_t bytes = 0;
    for (const std::string& file : files) {
        const auto opened = open_file(file, UINT64_MAX);
        if (!opened) return opened.error();
        bytes += opened.value().size_bytes;
    }
    return bytes;
}

constexpr char answer_profile = 'P';  // then the notes, a line each, an empty line, the profile
constexpr char answer_error = 'E';    // then the message

/// Runs in the child. Returns the answer for the parent.
std::string read_archive_for_parent(const std::string& path, const ImportOptions& options) {
    auto imported = ArchiveReader().read(path, options);
    if (!imported) return answer_error + imported.error().message;
    if (imported.value().profile.nodes.empty()) imported.value().profile.nodes = {"?"};
    if (const Status fits = check_section_sizes(imported.value().profile); !fits)
        return answer_error + fits.error().message;
    std::string notes;
    for (const std::string& note : imported.value().notes) notes += one_line(note) + '\n';
    return answer_profile + notes + '\n' + encode_profile(imported.value().profile);
}

}  // namespace

/// Imports an archive in a process of its own, because libotf2 3.0.2 allocates what a damaged
/// archive says, and may never end. The answer is checked like a profile of unknown origin.
Result<Imported> import_otf2(const std::string& path, const ImportOptions& options) {
    const auto bytes = archive_bytes(path);
    if (!bytes) return bytes.error();
    constexpr std::uint64_t mib = std::uint64_t{1} << 20;
    const std::uint64_t mibs = bytes.value() / mib + 1;
    const CallLimits limits{.memory_bytes = (2048 + 16 * mibs) * mib,
                            .cpu_seconds = 2 + mibs,  // libotf2 reads tens of MiB in a second
                            .result_bytes = max_profile_bytes};
    const auto answer =
        call_in_child(limits, [&] { return read_archive_for_parent(path, options); });
    const std::string name = one_line(path);
    if (!answer)
        return Error{answer.error().code,
                     fmt::format("{}: reading it with libotf2 {}: is it damaged? otf2-print shows "
                                 "what can be read of it",
                                 name, answer.error().message)};
    const std::string& text = answer.value();
    if (!text.starts_with(answer_profile))
        return Error{Errc::invalid_input,
                     fmt::format("{}: {}", name, text.empty() ? "no answer" : text.substr(1))};
    Imported imported;
    std::size_t at = 1;
    for (std::size_t end = text.find('\n', at); end != std::string::npos && end > at;
         end = text.find('\n', at)) {
        imported.notes.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    auto profile = decode_profile(std::string_view(text).substr(std::min(at + 1, text.size())));
    if (!profile) return prefixed(name, profile.error());
    imported.profile = std::move(profile).value();
    return imported;
}

}  // namespace commmap
