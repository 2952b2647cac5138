// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/peers/coverage.hpp"
#include "core/peers/first_come.hpp"
#include "core/peers/peer_schedule.hpp"
#include "core/peers/phase_order.hpp"
#include "core/peers/priority_matrix.hpp"
#include "core/peers/reconfiguration.hpp"
#include "core/profile/profile.hpp"

namespace commmap::cli {

/// What a connection costs and saves, as the user gives both.
struct ConnectionCosts {
    double connection_s = 0.0;         ///< to make a connection, and to close it later; > 0
    double saved_per_message_s = 0.0;  ///< of a message that a connection carries; > 0
};

struct PeersQuestion {
    std::string profile_name;               ///< as the user gave it
    std::uint64_t small_bytes = 0;          ///< a limit of a size bucket
    std::optional<std::string> phase;       ///< only this phase
    std::optional<std::size_t> most;        ///< connections of a rank; nullopt: as suggested
    std::optional<std::string> other_name;  ///< of the profile that gives another schedule
    std::optional<ConnectionCosts> costs;
};

/// The schedule of another profile, beside the messages of the profile that is looked at.
struct OtherSchedule {
    PeerSchedule schedule;
    std::vector<std::string> phase_names;
    /// For each phase of the profile that is looked at.
    std::vector<std::optional<std::size_t>> matched;
    Coverage coverage;  ///< of the messages of the profile that is looked at
    std::size_t suggested = 1;
};

/// All that `commmap analyze peers` prints.
struct PeersAnalysis {
    PeersQuestion question;
    std::vector<std::string> phase_names;
    PriorityMatrix matrix;
    PeerSchedule schedule;
    PhaseOrder order;
    Coverage by_phases;
    Coverage whole_run;
    FirstCome at_sender;
    FirstCome at_receiver;
    std::size_t suggested = 1;
    std::size_t most = 1;  ///< connections of a rank in what follows
    std::vector<PhaseConnections> phases;
    Reconfiguration reconfiguration;
    std::uint64_t whole_run_connections = 0;  ///< of one schedule for the whole run
    std::uint64_t remade_with_4 = 0;          ///< Reconfiguration::remade with 4 connections
    std::uint64_t remade_with_8 = 0;
    std::optional<OtherSchedule> other;

    /// Returns the messages that connections carry, by the paper's rule.
    [[nodiscard]] std::uint64_t carried() const { return by_phases.with(most); }
};

/// Works out the analysis.
/// @param other  gives another schedule; nullptr: there is none
/// Errors: not_found (no phase of that name); invalid_input (no small messages; `other` is of
/// another number of ranks); out_of_range.
[[nodiscard]] Result<PeersAnalysis> analyze_peers(const Profile& profile, const Profile* other,
                                                  const PeersQuestion& question);

/// Returns whether connections save more time than making them costs, added up over all ranks.
/// @param made  connections made in the run
[[nodiscard]] inline bool is_worth(const ConnectionCosts& costs, std::uint64_t carried,
                                   std::uint64_t made) {
    return costs.saved_per_message_s * static_cast<double>(carried) >
           costs.connection_s * static_cast<double>(made);
}

/// Returns whether changing only what differs is worth its costs; nullopt where that hangs on the
/// order of phases, which is not known.
[[nodiscard]] std::optional<bool> is_change_worth(const PeersAnalysis& analysis,
                                                  const ConnectionCosts& costs);

}  // namespace commmap::cli
