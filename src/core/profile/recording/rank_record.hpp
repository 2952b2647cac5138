// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// What one rank of a run recorded, in the form in which it travels to world rank 0 at the end of
/// the run. It is never stored.
struct RankRecord {
    /// Names a communicator across ranks: the 128-bit hash of its member list.
    struct CommunicatorKey {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        auto operator<=>(const CommunicatorKey&) const = default;
    };
    struct Communicator {
        CommunicatorKey key;
        /// The member list, only in the record of the communicator's first member. So a
        /// communicator of all P ranks costs P words and not P*P.
        std::vector<RankId> members;
    };
    struct Collective {
        std::uint32_t communicator = 0;  ///< index into communicators
        CollectiveOp op = CollectiveOp::barrier;
        bool in_peer_traffic = false;
        RankId root = no_id;
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;  ///< payload of all calls together
        std::uint8_t bucket = 0;  ///< as CollectiveRecord::bucket
        /// Collectives with the same key are added up.
        [[nodiscard]] auto key() const {
            return std::tuple(communicator, op, root, in_peer_traffic, bucket);
        }
    };
    /// A ProcessTopology with this rank's own neighbours only.
    struct Topology {
        std::uint32_t communicator = 0;  ///< index into communicators
        std::vector<std::uint32_t> dims;
        std::vector<std::uint8_t> periodic;
        std::vector<RankId> destinations;
    };
    /// What was counted in one part of the run.
    struct Section {
        std::string label;          ///< of MPI_Pcontrol; empty: the parts without a label
        std::uint32_t slice = 0;    ///< number of the time slice (< most_slices), where slice_s > 0
        std::uint64_t entered = 0;  ///< how often the part with this label began
        double wall_s = 0.0;        ///< 0 for a time slice
        double mpi_s = 0.0;
        std::vector<TrafficCell> sent;  ///< sorted by key()
        /// One-sided messages from `peer` to this rank, which the peer does not know of; sorted by
        /// key().
        std::vector<TrafficCell> fetched;
        std::vector<Collective> collectives;  ///< sorted by key()
    };

    static constexpr std::uint32_t most_slices = max_time_slices;
    static constexpr std::size_t most_sections = 64;
    static constexpr std::size_t most_letters = max_label_letters;  ///< of a label
    static constexpr double longest_s = 1e10;  ///< the longest run time that is believed
    static constexpr double longest_slice_s = 1e9;

    /// Counts the calls of one MPI function, all threads together. Calls that MPI makes inside of
    /// another call do not count.
    struct Call {
        std::uint32_t call = 0;  ///< MpiCall
        float seconds = 0.0F;    ///< time in these calls
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;  ///< to files and from them
    };

    RankId rank = 0;
    /// The launcher's number of the node; no_id where the launcher does not tell.
    std::uint32_t node_id = no_id;
    std::string application_id;
    std::string program;  ///< name of its file, at most most_letters
    std::string node;
    std::string cpus;
    std::string locality;  ///< "NM0:SK0"; empty: not told
    double wall_s = 0.0;
    double mpi_s = 0.0;
    bool finished = true;               ///< the rank came to MPI_Finalize
    std::vector<Call> calls;            ///< calls that were made, sorted by MpiCall
    std::vector<PeerWait> waits;        ///< sorted by peer
    std::vector<OpenSends> open_sends;  ///< sorted by bucket
    EarlyMessages early_messages;
    std::vector<Communicator> communicators;
    std::vector<Topology> topologies;  ///< in the order in which they were made
    /// Length of a time slice; slices are numbered 0, 1, 2, ... from MPI_Init on. 0: the sections
    /// are divided by label.
    double slice_s = 0.0;
    bool phases_lost = false;  ///< there was too little memory to keep phases apart
    /// At least one section; together they are the whole run. In the order of slices, or in the
    /// order in which they began.
    std::vector<Section> sections;
    std::vector<RoundCollective> round_collectives;  ///< sorted by key()
    RankRounds rounds;
};

/// Returns the name of a program's file, for RankRecord::program.
/// @param command  a path
[[nodiscard]] std::string program_name(std::string_view command);

/// Sorts collectives by key(), and adds up those with the same key.
/// Cost: O(n log n).
void reduce_by_key(std::vector<RankRecord::Collective>& collectives);

/// Adds the counts of one section to another, whose label and slice stay.
/// Cost: O(cells).
void add_section(RankRecord::Section& to, const RankRecord::Section& from);

/// Joins all sections to one without a label: phases are then not known.
void join_sections(RankRecord& record);

/// Doubles the length of the time slices: two neighbours become one.
void halve_slices(RankRecord& record);

/// Returns the most bytes of a rank's sections, when it has several, so that the sections of all
/// ranks can be gathered.
[[nodiscard]] constexpr std::size_t most_section_bytes(std::size_t num_ranks) {
    return (std::size_t{64} << 20) / num_ranks;
}
/// Bytes that alignment may add to the encoded sections.
inline constexpr std::size_t most_padding_bytes = 16;
/// Returns the bytes of all sections when encoded, without those that alignment adds.
[[nodiscard]] std::size_t section_bytes(const RankRecord& record);

/// Joins sections until they take at most `max_bytes`, or one section is left. Neighbouring time
/// slices are joined; sections with labels are all joined to one. No count is lost.
/// @param max_bytes  of section_bytes()
/// Cost: O(cells log slices).
void limit_sections(RankRecord& record, std::size_t max_bytes);

/// Checks the ranks in a record: its own rank, its peers, the members of its communicators (each
/// listed once), its roots and its neighbours are all below `num_ranks`.
/// Errors: corrupt.
/// Cost: O(cells + members log members).
[[nodiscard]] Status check_ranks(const RankRecord& record, std::size_t num_ranks);

/// Returns the 128-bit hash of a member list.
/// Cost: O(members).
[[nodiscard]] RankRecord::CommunicatorKey communicator_key(const RankId* members,
                                                           std::size_t count);

}  // namespace commmap
