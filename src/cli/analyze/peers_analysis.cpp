// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/analyze/peers_analysis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cli/profile/phase_name.hpp"
#include "core/text/one_line.hpp"
#include "core/text/suggest.hpp"

namespace commmap::cli {
namespace {

std::vector<std::string> names_of_phases(const Profile& profile) {
    if (profile.phases.size() == 1 && profile.phases.front().label.empty()) return {"(whole run)"};
    std::vector<std::string> names;
    for (const Phase& phase : profile.phases)
        names.push_back(phase_name(profile.slice_s > 0.0, names.size(), phase.label));
    return names;
}

Result<std::size_t> phase_called(const std::string& name, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    constexpr std::size_t most_shown = 8;
    std::string known;
    for (std::size_t i = 0; i < std::min(names.size(), most_shown); ++i)
        known += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_shown) known += ", ...";
    const std::vector<std::string_view> views(names.begin(), names.end());
    return Error{Errc::not_found,
                 fmt::format("no phase is called {}{} (there are: {})", commmap::quoted(name),
                             did_you_mean(name, views), known)};
}

/// Says why a profile has nothing to schedule.
/// @param phase  of the profile, if only that one counts
Error nothing_small(const std::string& name, const std::optional<std::string>& phase,
                    std::uint64_t small_bytes, std::uint64_t all_messages) {
    const std::string where = phase ? " in phase " + commmap::quoted(*phase) : "";
    if (all_messages == 0)
        return {Errc::invalid_input,
                fmt::format("'{}' has no messages from rank to rank{} (collectives such as bcast "
                            "and allreduce have no priorities)",
                            name, where)};
    return {Errc::invalid_input,
            fmt::format("none of the {} messages of '{}'{} has at most {} B (--small sets another "
                        "limit)",
                        all_messages, name, where, small_bytes)};
}

Result<OtherSchedule> other_schedule(const Profile& profile, const Profile& other,
                                     std::optional<std::size_t> phase, const PriorityMatrix& matrix,
                                     const PeersQuestion& question) {
    if (other.num_ranks() != profile.num_ranks())
        return Error{Errc::invalid_input,
                     fmt::format("'{}' is of {} ranks and '{}' of {}: a schedule is for one number "
                                 "of ranks",
                                 *question.other_name, other.num_ranks(), question.profile_name,
                                 profile.num_ranks())};
    const auto priorities = priority_matrix(other, question.small_bytes);
    if (!priorities) return prefixed(*question.other_name, priorities.error());
    if (priorities.value().small_messages == 0)
        return nothing_small(*question.other_name, {}, question.small_bytes,
                             priorities.value().all_messages);
    OtherSchedule result = {PeerSchedule(priorities.value()), names_of_phases(other), {}, {}, 1};
    const auto matched = matched_phases(profile.phases, other.phases);
    if (phase)
        result.matched = {matched[*phase]};
    else
        result.matched = matched;
    result.coverage = coverage_by_other(matrix, result.schedule, result.matched);
    result.suggested = suggested_connections(coverage_by_phases(result.schedule));
    return result;
}

std::uint64_t connections_of_whole_run(const PriorityMatrix& matrix, std::size_t most) {
    const PriorityRows whole = whole_run(matrix);
    std::uint64_t connections = 0;
    for (RankId rank = 0; rank < whole.num_ranks(); ++rank)
        connections += std::min(whole.of(rank).size(), most);
    return connections;
}

}  // namespace

Result<PeersAnalysis> analyze_peers(const Profile& profile, const Profile* other,
                                    const PeersQuestion& question) {
    std::vector<std::string> names = names_of_phases(profile);
    std::optional<std::size_t> phase;
    if (question.phase) {
        const auto found = phase_called(*question.phase, names);
        if (!found) return found.error();
        phase = found.value();
        names = {names[*phase]};
    }
    auto matrix = priority_matrix(profile, question.small_bytes, phase);
    if (!matrix) return prefixed(question.profile_name, matrix.error());
    if (matrix.value().small_messages == 0)
        return nothing_small(question.profile_name, question.phase, question.small_bytes,
                             matrix.value().all_messages);
    PeerSchedule schedule(matrix.value());
    PeersAnalysis all = {.question = question,
                         .phase_names = std::move(names),
                         .matrix = std::move(matrix).value(),
                         .schedule = std::move(schedule),
                         .order = phase ? order_of_one_phase() : order_of(profile),
                         .by_phases = {},
                         .whole_run = {},
                         .at_sender = {},
                         .at_receiver = {},
                         .phases = {},
                         .reconfiguration = {},
                         .other = {}};
    all.by_phases = coverage_by_phases(all.schedule);
    all.whole_run = coverage_of_whole_run(all.matrix);
    all.at_sender = first_come(all.matrix);
    all.at_receiver = first_come(by_receiver(all.matrix));
    all.suggested = suggested_connections(all.by_phases);
    all.most = question.most.value_or(all.suggested);
    for (std::size_t i = 0; i < all.matrix.phases.size(); ++i)
        all.phases.push_back(connections_in(all.schedule, i, all.most));
    all.reconfiguration = reconfiguration(all.schedule, all.order, all.most);
    all.whole_run_connections = connections_of_whole_run(all.matrix, all.most);
    all.remade_with_4 = reconfiguration(all.schedule, all.order, 4).remade;
    all.remade_with_8 = reconfiguration(all.schedule, all.order, 8).remade;
    if (other != nullptr) {
        auto scheduled = other_schedule(profile, *other, phase, all.matrix, question);
        if (!scheduled) return scheduled.error();
        all.other = std::move(scheduled).value();
    }
    return all;
}

std::optional<bool> is_change_worth(const PeersAnalysis& analysis, const ConnectionCosts& costs) {
    const Reconfiguration& made = analysis.reconfiguration;
    const bool at_best = is_worth(costs, analysis.carried(), made.changed);
    if (analysis.order.is_known) return at_best;
    const bool at_worst = is_worth(costs, analysis.carried(), made.remade);
    return at_best == at_worst ? std::optional(at_best) : std::nullopt;
}

}  // namespace commmap::cli
