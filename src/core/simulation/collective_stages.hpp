// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/collectives/expansion/expand_profile.hpp"
#include "core/collectives/expansion/schedule_table.hpp"
#include "core/collectives/schedule.hpp"
#include "core/simulation/run_script.hpp"
#include "core/simulation/stream_table.hpp"

namespace commmap {

/// Turns the collectives of rounds into stages of a RunScript: one stage for each step of the
/// collective's algorithm. A collective whose messages are not known becomes a barrier.
class CollectiveStages {
public:
    /// @param profile, script, streams  must outlive the object
    CollectiveStages(const Profile& profile, const CollectiveChoice& choice, RunScript& script,
                     StreamTable& streams)
        : profile_(profile), schedules_(profile, choice), script_(script), streams_(streams) {}

    /// Adds the stages of one call of each kind of collective.
    /// Errors: not_supported above `most` messages; corrupt.
    Status add_calls(std::uint64_t most);

    struct OfRound {
        std::vector<RunScript::StageRange> stages;  ///< one collective after the other
        double messages = 0.0;                      ///< number of messages on their connections
        double bytes = 0.0;
    };
    /// Makes the stages of the collectives of one round of a rank.
    /// Errors: not_supported when barriers need more messages than `most`, or there are more calls
    /// than a recorder keeps.
    Result<OfRound> of_round(RankId rank, const Signature& signature, std::uint64_t most);

private:
    struct OfMember {
        RunScript::StageRange stages;
        double messages = 0.0;
        double bytes = 0.0;
    };
    using Call = std::vector<OfMember>;  ///< by member

    [[nodiscard]] std::vector<std::uint64_t> payloads() const;
    Status add_call(Call& call, std::uint32_t communicator, const ScheduleInfo& algorithm,
                    const CollectiveCall& what, std::uint64_t most);
    /// Returns the rank's index in the communicator, or an index past its end when the rank is not
    /// a member.
    std::size_t member(std::uint32_t communicator, RankId rank);
    Result<const Call*> barrier(std::uint32_t communicator, std::uint64_t most);

    const Profile& profile_;
    CollectiveSchedules schedules_;
    RunScript& script_;
    StreamTable& streams_;
    std::vector<Call> calls_;                                       ///< by kind of collective
    std::vector<Call> barriers_;                                    ///< by communicator
    std::uint64_t messages_ = 0;                                    ///< of all that was added
    std::vector<std::unordered_map<RankId, std::size_t>> members_;  ///< by communicator, once asked
};

}  // namespace commmap
