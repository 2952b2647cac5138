#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// What one rank of a run recorded, as it travels to world rank 0 when the run ends. Never stored.
struct RankReport {
    /// 128-bit hash of a communicator's member list: what names it across ranks.
    struct CommunicatorKey {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        auto operator<=>(const CommunicatorKey&) const = default;
    };
    struct Communicator {
        CommunicatorKey key;
        /// Only in the report of the first member, so that a communicator of all P ranks costs P
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
    };

    RankId rank = 0;
    std::uint32_t node_id =
        no_id;  ///< the launcher's number of the node, no_id where it does not tell
    std::string application_id;
    std::string node;
    std::string cpus;
    double wall_s = 0.0;
    double mpi_s = 0.0;
    bool finished = true;           ///< came to MPI_Finalize
    std::vector<TrafficCell> sent;  ///< sorted by key()
    /// Messages from `peer` to this rank that the peer knows nothing of (one-sided); sorted by
    /// key().
    std::vector<TrafficCell> fetched;
    std::vector<Communicator> communicators;
    std::vector<Collective> collectives;
};

/// 128-bit hash of a member list. Cost: O(members).
[[nodiscard]] RankReport::CommunicatorKey communicator_key(const RankId* members,
                                                           std::size_t count);

/// Bytes for a process of the same build on the same kind of machine.
[[nodiscard]] std::string encode_rank_report(const RankReport& report);
/// Errors: corrupt (cut short, or counts that do not fit).
[[nodiscard]] Result<RankReport> decode_rank_report(std::string_view bytes);

}  // namespace commmap
