#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// What one rank of a run recorded, as it travels to world rank 0 when the run ends. Never stored.
struct RankRecord {
    /// 128-bit hash of a communicator's member list: what names it across ranks.
    struct CommunicatorKey {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        auto operator<=>(const CommunicatorKey&) const = default;
    };
    struct Communicator {
        CommunicatorKey key;
        /// Only in the record of the first member, so that a communicator of all P ranks costs P
        /// words and not P*P.
        std::vector<RankId> members;
    };
    struct Collective {
        std::uint32_t communicator = 0;  ///< index into communicators
        CollectiveOp op = CollectiveOp::barrier;
        bool in_peer_traffic = false;
        RankId root = no_id;
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;  ///< of payload, all calls together
        std::uint8_t bucket = 0;  ///< as CollectiveRecord::bucket
        /// Those with the same are added up.
        [[nodiscard]] auto key() const {
            return std::tuple(communicator, op, root, in_peer_traffic, bucket);
        }
    };
    /// As ProcessTopology, with this rank's own neighbours.
    struct Topology {
        std::uint32_t communicator = 0;  ///< index into communicators
        std::vector<std::uint32_t> dims;
        std::vector<std::uint8_t> periodic;
        std::vector<RankId> destinations;
    };
    /// What was counted in a part of the run.
    struct Section {
        std::string label;          ///< of MPI_Pcontrol; empty: outside of what has one
        std::uint32_t slice = 0;    ///< number of the time slice (< most_slices), where slice_s > 0
        std::uint64_t entered = 0;  ///< how often it began, by its label
        double wall_s = 0.0;        ///< 0 of a time slice
        double mpi_s = 0.0;
        std::vector<TrafficCell> sent;  ///< sorted by key()
        /// Messages from `peer` to this rank that the peer knows nothing of (one-sided); sorted by
        /// key().
        std::vector<TrafficCell> fetched;
        std::vector<Collective> collectives;  ///< sorted by key()
    };

    static constexpr std::uint32_t most_slices = max_time_slices;
    static constexpr std::size_t most_sections = 64;
    static constexpr std::size_t most_letters = max_label_letters;  ///< of a label
    static constexpr double longest_s = 1e10;                       ///< no run is as long
    static constexpr double longest_slice_s = 1e9;

    /// Outermost calls of one kind, all threads together.
    struct Call {
        std::uint32_t call = 0;  ///< MpiCall
        float seconds = 0.0F;    ///< in them
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;  ///< to files and from them
    };

    RankId rank = 0;
    std::uint32_t node_id =
        no_id;  ///< the launcher's number of the node, no_id where it does not tell
    std::string application_id;
    std::string program;  ///< name of its file, at most most_letters
    std::string node;
    std::string cpus;
    std::string locality;  ///< "NM0:SK0"; empty: not told
    double wall_s = 0.0;
    double mpi_s = 0.0;
    bool finished = true;               ///< came to MPI_Finalize
    std::vector<Call> calls;            ///< those that were made, by MpiCall
    std::vector<PeerWait> waits;        ///< sorted by peer
    std::vector<OpenSends> open_sends;  ///< sorted by bucket
    EarlyMessages early_messages;
    std::vector<Communicator> communicators;
    std::vector<Topology> topologies;  ///< in the order in which they were made
    /// Length of a time slice: they are 0, 1, 2, ... from MPI_Init on; 0: sections are by label.
    double slice_s = 0.0;
    bool phases_lost = false;  ///< there was no memory to keep them apart
    /// At least one; together they are the whole run. In the order of slices, or of beginning.
    std::vector<Section> sections;
    std::vector<RoundCollective> round_collectives;  ///< sorted by key()
    RankRounds rounds;
};

/// For RankRecord::program. @param command  a path
[[nodiscard]] std::string program_name(std::string_view command);

/// Sorts by key(), and adds up what has the same. Cost: O(n log n).
void reduce_by_key(std::vector<RankRecord::Collective>& collectives);

/// Adds what was counted in one section to another; label and slice stay. Cost: O(cells).
void add_section(RankRecord::Section& to, const RankRecord::Section& from);

/// All sections as one, without a label: nothing is known of phases.
void join_sections(RankRecord& record);

/// Twice as long time slices: two neighbours become one.
void halve_slices(RankRecord& record);

/// How long a rank's sections may be, where it has several, so that all of them can be gathered.
[[nodiscard]] constexpr std::size_t most_section_bytes(std::size_t num_ranks) {
    return (std::size_t{64} << 20) / num_ranks;
}
/// Of all sections, encoded.
[[nodiscard]] std::size_t section_bytes(const RankRecord& record);

/// Joins sections, time slices to longer ones, labels all to one, until they are no longer than
/// that, or one. What was counted stays whole. Cost: O(cells log slices).
/// @param max_bytes  of section_bytes()
void limit_sections(RankRecord& record, std::size_t max_bytes);

/// That it is of one of `num_ranks` ranks, and so are its peers, the members of its communicators
/// (each there once), its roots and its neighbours. Errors: corrupt. Cost: O(cells + members log
/// members).
[[nodiscard]] Status check_ranks(const RankRecord& record, std::size_t num_ranks);

/// 128-bit hash of a member list. Cost: O(members).
[[nodiscard]] RankRecord::CommunicatorKey communicator_key(const RankId* members,
                                                           std::size_t count);

/// Bytes for a process of the same build on the same kind of machine.
[[nodiscard]] std::string encode_rank_record(const RankRecord& record);
/// Errors: corrupt (cut short, counts that do not fit, lists out of order, impossible times); the
/// ranks in it are for check_ranks().
[[nodiscard]] Result<RankRecord> decode_rank_record(std::string_view bytes);

}  // namespace commmap
