// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/analyze/peers_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace commmap::cli {
namespace {

using nlohmann::json;

json coverage_json(const PeersAnalysis& analysis) {
    json rows = json::array();
    for (std::size_t most = 1; most <= most_connections; ++most)
        rows.push_back(
            {{"max_peers", most},
             {"by_phases", analysis.by_phases.with(most)},
             {"whole_run", analysis.whole_run.with(most)},
             {"first_come", analysis.at_sender.interleaved.with(most)},
             {"first_come_at_worst", analysis.at_sender.worst.with(most)},
             {"at_receivers", analysis.at_receiver.interleaved.with(most)},
             {"at_receivers_at_worst", analysis.at_receiver.worst.with(most)},
             {"other_schedule",
              analysis.other ? json(analysis.other->coverage.with(most)) : json(nullptr)}});
    return rows;
}

/// Returns each sender that has small messages in a phase, with its receivers.
json senders_json(const PeersAnalysis& analysis, std::size_t phase) {
    json senders = json::array();
    for (RankId sender = 0; sender < analysis.matrix.num_ranks; ++sender) {
        json receivers = json::array();
        json priorities = json::array();
        for (const Priority& entry : analysis.matrix.phases[phase].of(sender)) {
            receivers.push_back(entry.peer);
            priorities.push_back(entry.messages);
        }
        if (receivers.empty()) continue;
        json scheduled = json::array();
        for (const Priority& entry : analysis.schedule.peers(phase, sender, analysis.most))
            scheduled.push_back(entry.peer);
        senders.push_back({{"sender", sender},
                           {"receivers", std::move(receivers)},
                           {"priorities", std::move(priorities)},
                           {"scheduled", std::move(scheduled)}});
    }
    return senders;
}

json phases_json(const PeersAnalysis& analysis) {
    json phases = json::array();
    for (std::size_t i = 0; i < analysis.phases.size(); ++i) {
        const PhaseConnections& phase = analysis.phases[i];
        phases.push_back({{"phase", analysis.phase_names[i]},
                          {"begins", analysis.order.begins[i]},
                          {"small_messages", analysis.matrix.phases[i].num_messages()},
                          {"connections", phase.connections},
                          {"carried", phase.messages},
                          {"most_of_a_rank", phase.most_of_a_rank},
                          {"most_into_a_rank", phase.most_into_a_rank},
                          {"senders", senders_json(analysis, i)}});
    }
    return phases;
}

/// Returns each sender whose connections change, with the receivers.
json changes_json(const BorderChanges& changes) {
    json senders = json::array();
    auto closed = changes.closed.begin();
    auto made = changes.made.begin();
    const auto take = [](RankId sender, auto& next, const auto& end) {
        json receivers = json::array();
        for (; next != end && next->sender == sender; ++next) receivers.push_back(next->receiver);
        return receivers;
    };
    while (closed != changes.closed.end() || made != changes.made.end()) {
        RankId sender = no_id;
        if (closed != changes.closed.end()) sender = closed->sender;
        if (made != changes.made.end()) sender = std::min(sender, made->sender);
        json of_sender = {{"sender", sender}};
        of_sender["closed"] = take(sender, closed, changes.closed.end());
        of_sender["made"] = take(sender, made, changes.made.end());
        senders.push_back(std::move(of_sender));
    }
    return senders;
}

json borders_json(const PeersAnalysis& analysis) {
    json borders = json::array();
    for (const Border& border : analysis.reconfiguration.borders) {
        const BorderChanges changes =
            changes_at_border(analysis.schedule, border.before, border.after, analysis.most);
        borders.push_back(
            {{"phase_before",
              border.before ? json(analysis.phase_names[*border.before]) : json(nullptr)},
             {"phase_after", analysis.phase_names[border.after]},
             {"num_kept", border.kept},
             {"num_closed", border.closed},
             {"num_made", border.made},
             {"most_made", border.most_made},
             {"most_remade", border.most_remade},
             {"changes", changes_json(changes)}});
    }
    return borders;
}

json worth_json(const PeersAnalysis& analysis) {
    if (!analysis.question.costs) return nullptr;
    const ConnectionCosts& costs = *analysis.question.costs;
    const Reconfiguration& made = analysis.reconfiguration;
    const std::optional<bool> is_change = is_change_worth(analysis, costs);
    return {{"connection_s", costs.connection_s},
            {"saved_per_message_s", costs.saved_per_message_s},
            {"saved_s", costs.saved_per_message_s * static_cast<double>(analysis.carried())},
            {"remade_s", costs.connection_s * static_cast<double>(made.remade)},
            {"changed_s", costs.connection_s * static_cast<double>(made.changed)},
            {"remade_pays", is_worth(costs, analysis.carried(), made.remade)},
            {"changed_pays", is_change ? json(*is_change) : json(nullptr)}};
}

json other_json(const PeersAnalysis& analysis) {
    if (!analysis.other) return nullptr;
    const OtherSchedule& other = *analysis.other;
    json matched = json::array();
    for (const std::optional<std::size_t>& phase : other.matched)
        matched.push_back(phase ? json(other.phase_names[*phase]) : json(nullptr));
    return {{"schedule_from", *analysis.question.other_name},
            {"suggested_max_peers", other.suggested},
            {"carried", other.coverage.with(analysis.most)},
            {"matched_phases", std::move(matched)}};
}

}  // namespace

std::string peers_json(const PeersAnalysis& analysis) {
    const json document = {{"ranks", analysis.matrix.num_ranks},
                           {"small_bytes", analysis.question.small_bytes},
                           {"all_messages", analysis.matrix.all_messages},
                           {"small_messages", analysis.matrix.small_messages},
                           {"order_known", analysis.order.is_known},
                           {"suggested_max_peers", analysis.suggested},
                           {"max_peers", analysis.most},
                           {"coverage", coverage_json(analysis)},
                           {"carried", analysis.carried()},
                           {"connections_remade", analysis.reconfiguration.remade},
                           {"connections_changed", analysis.reconfiguration.changed},
                           {"connections_of_whole_run", analysis.whole_run_connections},
                           {"remade_with_4", analysis.remade_with_4},
                           {"remade_with_8", analysis.remade_with_8},
                           {"worth", worth_json(analysis)},
                           {"other", other_json(analysis)},
                           {"borders", borders_json(analysis)},
                           {"phases", phases_json(analysis)}};
    // Names of files and phases need not be UTF-8: such bytes are replaced.
    return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace commmap::cli
