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

/// Calls of one collective on one communicator with one root and payloads of one size bucket, all
/// members together.
struct CollectiveRecord {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint32_t communicator = 0;  ///< index into Profile::communicators
    /// Rank in MPI_COMM_WORLD of the root; no_id where the operation has none.
    RankId root = no_id;
    std::uint64_t calls = 0;  ///< as one member sees it (the largest of what the members counted)
    std::uint64_t member_calls = 0;  ///< of all members together
    /// Payload of those, in bytes: the buffer of bcast/reduce/allreduce/scan/reduce_scatter (its
    /// input), what one member contributes to gather/allgather, what one member gets from scatter,
    /// what one member sends to one other in alltoall; 0 for barrier.
    std::uint64_t member_bytes = 0;
    /// The messages are already in the peers' traffic (v and w forms with their own counts,
    /// neighbourhood forms): expanding it again would count them twice.
    bool in_peer_traffic = false;
    /// The size bucket of a call's payload; 0 with in_peer_traffic, where members differ.
    std::uint8_t bucket = 0;
    bool operator==(const CollectiveRecord&) const = default;

    /// Those with the same are of one kind: communicator, operation, root, whether its messages are
    /// known already, size bucket.
    using Key = std::tuple<std::uint32_t, CollectiveOp, RankId, bool, std::uint8_t>;
    [[nodiscard]] Key key() const { return {communicator, op, root, in_peer_traffic, bucket}; }
    /// For records of which it was not noted: the bucket of the mean payload.
    [[nodiscard]] std::uint8_t bucket_of_mean() const {
        return collective_bucket(bytes_per_call(), in_peer_traffic);
    }

    /// The mean over members and calls, rounded to the nearest.
    [[nodiscard]] std::uint64_t bytes_per_call() const {
        if (member_calls == 0) return 0;
        const bool up = member_bytes % member_calls >= member_calls - member_calls / 2;
        return member_bytes / member_calls + (up ? 1 : 0);
    }
};

/// Calls of one MPI function by a rank: outermost ones, all threads together.
struct CallTime {
    std::uint32_t call = 0;  ///< index into Profile::call_names
    float seconds = 0.0F;    ///< in them
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< that calls of MPI-IO were asked to move
    bool operator==(const CallTime&) const = default;
};

/// How long a rank waited for the messages of another: in calls that receive one message or wait
/// for the request of one (docs/user/recorder.md, Time by sender).
struct PeerWait {
    RankId peer = 0;       ///< whose messages came
    float seconds = 0.0F;  ///< in those calls, from beginning to end
    std::uint64_t calls = 0;
    bool operator==(const PeerWait&) const = default;
};

/// Nonblocking sends of a rank in one size bucket, and how many others had begun there and were not
/// waited for when each of them began.
struct OpenSends {
    std::uint32_t bucket = 0;
    std::uint32_t most = 0;    ///< others, at one of the sends
    std::uint64_t sends = 0;   ///< > 0
    std::uint64_t others = 0;  ///< of all the sends together
    bool operator==(const OpenSends&) const = default;
};

/// Some of a rank's receives, and of these how many found their message there when they began
/// (docs/user/recorder.md, Early messages).
struct EarlyMessages {
    std::uint64_t looked_at = 0;  ///< receives
    std::uint64_t early = 0;      ///< at most as many
    bool operator==(const EarlyMessages&) const = default;
};

struct ProfileRank {
    double wall_s = 0.0;          ///< MPI_Init's return to MPI_Finalize's begin
    double mpi_s = 0.0;           ///< of that, inside MPI calls
    std::uint32_t node = 0;       ///< index into Profile::nodes
    std::string cpus;             ///< CPUs it could run on, Linux list format: "0-3,8"
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

/// One of the executables of a run of several.
struct Program {
    std::string application_id;
    std::string name;  ///< of its file; for people only
    bool operator==(const Program&) const = default;
};

/// In seconds since MPI_Init.
struct TimeRange {
    double begin_s = 0.0;
    double end_s = 0.0;
    bool operator==(const TimeRange&) const = default;
};

/// How long a rank was in a phase.
struct PhaseTime {
    float wall_s = 0.0F;
    float mpi_s = 0.0F;  ///< of that, inside MPI calls
    bool operator==(const PhaseTime&) const = default;
};

/// Letters of a phase's label, and time slices that a phase can be made of, at most.
inline constexpr std::size_t max_label_letters = 63;
inline constexpr std::uint32_t max_time_slices = 64;

/// A part of the run: what was sent in it.
struct Phase {
    /// As the program calls it (MPI_Pcontrol); empty for what is in none that has a name.
    std::string label;
    double wall_s = 0.0;        ///< mean of the ranks that recorded
    double mpi_s = 0.0;         ///< of that, inside MPI calls
    std::uint64_t entered = 0;  ///< how often a rank began it, by its name; the largest
    /// When it was, where it was found from the pattern of time slices; sorted. Empty: not told.
    std::vector<TimeRange> times;
    /// Of each rank; 0 of one that recorded nothing. Empty: not told, or there is one phase, of
    /// which ProfileRank says it.
    std::vector<PhaseTime> rank_times;
    TrafficMatrix sent;
    std::vector<CollectiveRecord> collectives;
    bool operator==(const Phase&) const = default;
};

/// The application communication pattern (Sweeney et al., Sec. 3.2) of one executable on one number
/// of ranks.
struct Profile {
    /// Executable identity (application_id.hpp): "build-id:...", "xxh128:..."; of several
    /// "set:...".
    std::string application_id;
    std::string command;           ///< the executable's path when it was recorded; for people only
    std::string mpi_library;       ///< first line of MPI_Get_library_version
    std::string recorder_version;  ///< commmap's
    std::uint64_t recorded_unix_s = 0;
    std::uint32_t job_id = 0;
    std::uint32_t step_id = 0;
    std::uint32_t runs = 1;  ///< whose mean it is; what is said of one run is of the last
    /// Every rank came to MPI_Finalize. A partial profile is kept apart (ProfileStore).
    bool complete = true;
    std::vector<RankId> missing;  ///< ranks that recorded nothing; sorted. None in a complete one
    std::vector<std::string> nodes;
    /// Where in their nodes ranks could run, in the words of PMIX_LOCALITY_STRING ("NM0:SK0");
    /// empty: not told.
    std::vector<std::string> localities;
    std::vector<Program> programs;  ///< where there are several, by the lowest rank of each
    std::vector<std::vector<RankId>>
        communicators;  ///< members in MPI_COMM_WORLD, in the communicator's order
    /// Sorted by communicator; a communicator's are in the order in which the program made them.
    std::vector<ProcessTopology> topologies;
    std::vector<std::string> call_names;  ///< "MPI_Send"
    std::vector<ProfileRank> ranks;
    /// Together they are the whole run; in the order in which they began.
    std::vector<Phase> phases;
    /// Of the last run where it is the mean of several.
    Rounds rounds;
    double slice_s = 0.0;      ///< length of the time slices that phases were found from; 0: none
    bool phases_lost = false;  ///< a rank had not the memory to keep them apart

    [[nodiscard]] std::size_t num_ranks() const { return ranks.size(); }
    bool operator==(const Profile&) const = default;
};

/// Collectives of all phases, each kind once. Cost: O(records log records).
[[nodiscard]] std::vector<CollectiveRecord> whole_collectives(const Profile& profile);

/// All phases of a profile as one. Cost: O(cells * phases).
[[nodiscard]] Phase whole_run(const Profile& profile);

}  // namespace commmap
