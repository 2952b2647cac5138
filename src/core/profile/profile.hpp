// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/collective_op.hpp"
#include "core/profile/process_topology.hpp"
#include "core/profile/rounds.hpp"
#include "core/profile/size_bucket.hpp"
#include "core/profile/traffic_matrix.hpp"

namespace commmap {

/// Counts the calls of one collective operation by all members of a communicator: calls with the
/// same root, and payloads of the same size bucket.
struct CollectiveRecord {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint32_t communicator = 0;  ///< index into Profile::communicators
    /// Rank in MPI_COMM_WORLD of the root; no_id where the operation has none.
    RankId root = no_id;
    std::uint64_t calls = 0;         ///< as one member sees it: the largest of the members' counts
    std::uint64_t member_calls = 0;  ///< of all members together
    /// Payload of member_calls, in bytes. What counts as the payload of one call:
    /// - bcast, reduce, allreduce, scan, exscan: the buffer;
    /// - reduce_scatter: the input buffer;
    /// - gather, allgather: what one member contributes;
    /// - scatter: what one member gets;
    /// - alltoall: what one member sends to one other member;
    /// - barrier: 0.
    std::uint64_t member_bytes = 0;
    /// The messages are in the point-to-point traffic already (v and w forms with their own counts,
    /// neighbourhood forms). Expanding the record would count them twice.
    bool in_peer_traffic = false;
    /// The size bucket of a call's payload; 0 with in_peer_traffic, where members differ.
    std::uint8_t bucket = 0;
    bool operator==(const CollectiveRecord&) const = default;

    /// Records with the same key are of one kind: communicator, operation, root, whether the
    /// messages are known already, size bucket.
    using Key = std::tuple<std::uint32_t, CollectiveOp, RankId, bool, std::uint8_t>;
    [[nodiscard]] Key key() const { return {communicator, op, root, in_peer_traffic, bucket}; }
    /// Returns the bucket of the mean payload, for records without a noted bucket.
    [[nodiscard]] std::uint8_t bucket_of_mean() const {
        return collective_bucket(bytes_per_call(), in_peer_traffic);
    }

    /// Returns the mean payload of a call over members and calls, rounded to the nearest byte.
    [[nodiscard]] std::uint64_t bytes_per_call() const {
        if (member_calls == 0) return 0;
        const bool up = member_bytes % member_calls >= member_calls - member_calls / 2;
        return member_bytes / member_calls + (up ? 1 : 0);
    }
};

/// Counts the calls of one MPI function by one rank, all threads together. Calls that MPI makes
/// inside of another call do not count.
struct CallTime {
    std::uint32_t call = 0;  ///< index into Profile::call_names
    float seconds = 0.0F;    ///< time in these calls
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< bytes that calls of MPI-IO were asked to move
    bool operator==(const CallTime&) const = default;
};

/// How long a rank waited for the messages of another rank: in calls that receive one message, or
/// wait for the request of one (docs/user/recorder.md, Time by sender).
struct PeerWait {
    RankId peer = 0;       ///< the sender of the messages
    float seconds = 0.0F;  ///< in those calls, from beginning to end
    std::uint64_t calls = 0;
    bool operator==(const PeerWait&) const = default;
};

/// Counts a rank's nonblocking sends in one size bucket. For each send it also counts the earlier
/// sends of the bucket that were still open: begun, and not yet waited for.
struct OpenSends {
    std::uint32_t bucket = 0;
    std::uint32_t most = 0;    ///< the most open sends at the begin of one send
    std::uint64_t sends = 0;   ///< > 0
    std::uint64_t others = 0;  ///< open sends, added up over all the sends
    bool operator==(const OpenSends&) const = default;
};

/// Counts early messages: of the receives that were looked at, those whose message was there when
/// the receive began (docs/user/recorder.md, Early messages).
struct EarlyMessages {
    std::uint64_t looked_at = 0;  ///< receives
    std::uint64_t early = 0;      ///< at most looked_at
    bool operator==(const EarlyMessages&) const = default;
};

/// What one rank recorded: its times, its place, and its calls.
struct ProfileRank {
    double wall_s = 0.0;          ///< MPI_Init's return to MPI_Finalize's begin
    double mpi_s = 0.0;           ///< of that, inside MPI calls
    std::uint32_t node = 0;       ///< index into Profile::nodes
    std::string cpus;             ///< CPUs on which it could run, as a Linux list: "0-3,8"
    std::vector<CallTime> calls;  ///< sorted by call
    // of runs with times
    std::vector<PeerWait> waits;        ///< sorted by peer
    std::vector<OpenSends> open_sends;  ///< sorted by bucket
    EarlyMessages early_messages = {};
    /// Index into Profile::localities; 0 where there are none.
    std::uint32_t locality = 0;
    /// Index into Profile::programs, the application number; 0 where there are none.
    std::uint32_t program = 0;
    bool operator==(const ProfileRank&) const = default;
};

/// One executable of a run of several executables.
struct Program {
    std::string application_id;
    std::string name;  ///< of its file; for people only
    bool operator==(const Program&) const = default;
};

/// A range of time, in seconds since MPI_Init.
struct TimeRange {
    double begin_s = 0.0;
    double end_s = 0.0;
    bool operator==(const TimeRange&) const = default;
};

/// How long a rank was in a phase, and how much of that inside MPI.
struct PhaseTime {
    float wall_s = 0.0F;
    float mpi_s = 0.0F;  ///< of that, inside MPI calls
    bool operator==(const PhaseTime&) const = default;
};

/// The most letters of a phase's label, and the most time slices from which phases are found.
inline constexpr std::size_t max_label_letters = 63;
inline constexpr std::uint32_t max_time_slices = 64;

/// A part of the run (a phase): its messages, collectives and times.
struct Phase {
    /// The name that the program gives with MPI_Pcontrol; empty: the parts of the run without a
    /// name.
    std::string label;
    double wall_s = 0.0;  ///< mean over the ranks that recorded
    double mpi_s = 0.0;   ///< of that, inside MPI calls
    /// how often a rank began it by name: the largest of the ranks' counts
    std::uint64_t entered = 0;
    /// When the phase was, if it was found from time slices; sorted. Empty: not known.
    std::vector<TimeRange> times;
    /// Times of each rank in the phase; 0 for a rank that recorded nothing. Empty: not known, or
    /// there is one phase, whose times are in ProfileRank.
    std::vector<PhaseTime> rank_times;
    TrafficMatrix sent;
    std::vector<CollectiveRecord> collectives;
    bool operator==(const Phase&) const = default;
};

/// The communication profile of one executable on one number of ranks: who sent how much to whom,
/// which collectives ran, and how long that took. It is the application communication pattern of
/// Sweeney et al., Sec. 3.2.
struct Profile {
    /// Identity of the executable (application_id.hpp): "build-id:..." or "xxh128:..."; of several
    /// executables "set:...".
    std::string application_id;
    std::string command;           ///< path of the executable when it was recorded; for people only
    std::string mpi_library;       ///< first line of MPI_Get_library_version
    std::string recorder_version;  ///< commmap's
    std::uint64_t recorded_unix_s = 0;
    std::uint32_t job_id = 0;
    std::uint32_t step_id = 0;
    /// runs whose mean this is; what belongs to one run is of the last one
    std::uint32_t runs = 1;
    /// Every rank came to MPI_Finalize. The store keeps a partial profile apart (ProfileStore).
    bool complete = true;
    /// ranks that recorded nothing, sorted; empty in a complete profile
    std::vector<RankId> missing;
    std::vector<std::string> nodes;
    /// Where inside their nodes ranks could run, in the words of PMIX_LOCALITY_STRING ("NM0:SK0");
    /// empty: not known.
    std::vector<std::string> localities;
    /// the executables when there are several, in the order of their lowest ranks
    std::vector<Program> programs;
    std::vector<std::vector<RankId>>
        communicators;  ///< members in MPI_COMM_WORLD, in the communicator's order
    /// Sorted by communicator, and then in the order in which the program made them.
    std::vector<ProcessTopology> topologies;
    std::vector<std::string> call_names;  ///< "MPI_Send"
    std::vector<ProfileRank> ranks;
    /// The phases, in the order in which they began. Together they are the whole run.
    std::vector<Phase> phases;
    /// The rounds of each rank; of the last run when the profile is a mean.
    Rounds rounds;
    double slice_s = 0.0;      ///< length of the time slices that phases were found from; 0: none
    bool phases_lost = false;  ///< a rank had too little memory to keep phases apart

    [[nodiscard]] std::size_t num_ranks() const { return ranks.size(); }
    bool operator==(const Profile&) const = default;
};

/// Adds up the collectives of all phases, so that each kind has one record.
/// Cost: O(records log records).
[[nodiscard]] std::vector<CollectiveRecord> whole_collectives(const Profile& profile);

/// Adds up all phases of a profile to one phase.
/// Cost: O(cells * phases).
[[nodiscard]] Phase whole_run(const Profile& profile);

}  // namespace commmap
