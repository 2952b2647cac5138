// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/analyze/peers_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "cli/command.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string percent(std::uint64_t part, std::uint64_t all) {
    return fmt::format("{:.1f} %", 100.0 * ratio(part, all));
}

std::string counted(std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string phases_line(const PeersAnalysis& analysis) {
    const std::size_t count = analysis.phase_names.size();
    if (count == 1)
        return fmt::format(
            "phases       one, {}: by phases is the same as one schedule for the whole run\n",
            analysis.phase_names.front());
    return fmt::format(
        "phases       {}{}\n", count,
        analysis.order.is_known ? "" : ", some of which begin several times, in an unknown order");
}

std::string coverage_table(const PeersAnalysis& analysis) {
    std::vector<std::vector<std::string>> rows = {{"connections", "by phases", "whole run",
                                                   "first come", "at worst", "at receivers",
                                                   "at worst"}};
    if (analysis.other) rows.front().push_back("other schedule");
    const std::uint64_t all = analysis.matrix.small_messages;
    for (std::size_t most = 1; most <= most_connections; ++most) {
        rows.push_back({std::to_string(most), percent(analysis.by_phases.with(most), all),
                        percent(analysis.whole_run.with(most), all),
                        percent(analysis.at_sender.interleaved.with(most), all),
                        percent(analysis.at_sender.worst.with(most), all),
                        percent(analysis.at_receiver.interleaved.with(most), all),
                        percent(analysis.at_receiver.worst.with(most), all)});
        if (analysis.other)
            rows.back().push_back(percent(analysis.other->coverage.with(most), all));
    }
    return text_of(aligned(rows));
}

std::string four_and_eight(const PeersAnalysis& analysis) {
    return fmt::format("8 against 4  {:.2f} x the messages, {:.2f} x the connections made\n",
                       ratio(analysis.by_phases.with(8), analysis.by_phases.with(4)),
                       ratio(analysis.remade_with_8, analysis.remade_with_4));
}

std::string phase_lines(const PeersAnalysis& analysis) {
    std::string text;
    std::size_t silent = 0;
    for (std::size_t i = 0; i < analysis.phases.size(); ++i) {
        const PhaseConnections& phase = analysis.phases[i];
        const std::uint64_t messages = analysis.matrix.phases[i].num_messages();
        if (messages == 0) {
            ++silent;
            continue;
        }
        text += fmt::format("phase        {}: {}, {} carried by {}, at most {} into one rank",
                            analysis.phase_names[i], counted(messages, "small message"),
                            percent(phase.messages, messages),
                            counted(phase.connections, "connection"), phase.most_into_a_rank);
        if (analysis.order.begins[i] > 1)
            text += fmt::format(", begins {} times", analysis.order.begins[i]);
        text += '\n';
    }
    if (silent > 0) text += fmt::format("phases       {} without small messages\n", silent);
    return text;
}

/// Returns "; saves 1.2 s and costs 300 ms of all ranks together: worth it".
std::string worth_text(const PeersAnalysis& analysis, std::uint64_t made,
                       std::optional<bool> is_worth_it) {
    if (!analysis.question.costs) return "";
    const ConnectionCosts& costs = *analysis.question.costs;
    return fmt::format(
        "; saves {} and costs {} of all ranks together: {}",
        format_seconds(costs.saved_per_message_s * static_cast<double>(analysis.carried())),
        format_seconds(costs.connection_s * static_cast<double>(made)),
        !is_worth_it   ? "that hangs on the order of the phases"
        : *is_worth_it ? "worth it"
                       : "not worth it");
}

std::string reconfiguration_lines(const PeersAnalysis& analysis) {
    const Reconfiguration& made = analysis.reconfiguration;
    std::uint64_t most_made = 0;
    std::uint64_t most_remade = 0;
    for (const Border& border : made.borders) {
        most_made = std::max(most_made, border.most_made);
        most_remade = std::max(most_remade, border.most_remade);
    }
    const std::uint64_t carried = analysis.carried();
    std::string text = fmt::format(
        "all remade   {} made in the run, at most {} at once by one rank, {:.1f} messages each{}\n",
        counted(made.remade, "connection"), most_remade, ratio(carried, made.remade),
        worth_text(analysis, made.remade,
                   analysis.question.costs
                       ? std::optional(is_worth(*analysis.question.costs, carried, made.remade))
                       : std::nullopt));
    text += fmt::format(
        "if changed   {}{} made in the run, at most {} at once by one rank, {}{:.1f} messages "
        "each{}\n",
        analysis.order.is_known ? "" : "at least ", counted(made.changed, "connection"), most_made,
        analysis.order.is_known ? "" : "at most ", ratio(carried, made.changed),
        worth_text(analysis, made.changed,
                   analysis.question.costs ? is_change_worth(analysis, *analysis.question.costs)
                                           : std::nullopt));
    if (analysis.phases.size() > 1)
        text += fmt::format(
            "whole run    {} of one schedule carry {}, {:.1f} messages each\n",
            counted(analysis.whole_run_connections, "connection"),
            percent(analysis.whole_run.with(analysis.most), analysis.matrix.small_messages),
            ratio(analysis.whole_run.with(analysis.most), analysis.whole_run_connections));
    return text;
}

std::string other_lines(const PeersAnalysis& analysis) {
    if (!analysis.other) return "";
    const OtherSchedule& other = *analysis.other;
    std::string text = fmt::format(
        "other        the schedule of '{}' carries {} of these messages, the own one {} ({} "
        "suggested by the other)\n",
        *analysis.question.other_name,
        percent(other.coverage.with(analysis.most), analysis.matrix.small_messages),
        percent(analysis.carried(), analysis.matrix.small_messages),
        counted(other.suggested, "connection"));
    for (std::size_t i = 0; i < other.matched.size(); ++i) {
        if (analysis.matrix.phases[i].num_entries() == 0) continue;
        if (!other.matched[i])
            text += fmt::format("other        has no phase for {}: no connections in it\n",
                                analysis.phase_names[i]);
        else if (other.phase_names[*other.matched[i]] != analysis.phase_names[i])
            text += fmt::format("other        {} stands for {}, by its position\n",
                                other.phase_names[*other.matched[i]], analysis.phase_names[i]);
    }
    return text;
}

/// Returns a text as a field of CSV (RFC 4180).
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted_text = "\"";
    for (const char letter : text) {
        quoted_text += letter;
        if (letter == '"') quoted_text += '"';
    }
    return quoted_text + '"';
}

}  // namespace

std::string peers_text(const PeersAnalysis& analysis) {
    std::string text = fmt::format(
        "ranks        {}\n"
        "small        {} of {} between ranks, of at most {} B\n",
        analysis.matrix.num_ranks, analysis.matrix.small_messages,
        counted(analysis.matrix.all_messages, "message"), analysis.question.small_bytes);
    text += phases_line(analysis);
    text += fmt::format(
        "suggested    {} a rank (maxRDMA): the fewest that carry {} % of what {} carry\n",
        counted(analysis.suggested, "connection"), suggested_percent, most_connections);
    text += "\nSmall messages that connections carry:\n\n" + coverage_table(analysis) + '\n';
    text += four_and_eight(analysis);
    text += fmt::format("schedule     with {} a rank:\n", counted(analysis.most, "connection"));
    return text + phase_lines(analysis) + reconfiguration_lines(analysis) + other_lines(analysis);
}

std::string peers_csv(const PeersAnalysis& analysis) {
    std::string text = "phase,sender,receiver,messages,scheduled";
    text += analysis.other ? ",scheduled_by_other\n" : "\n";
    for (std::size_t phase = 0; phase < analysis.matrix.phases.size(); ++phase) {
        const std::string name = field(analysis.phase_names[phase]);
        for (RankId sender = 0; sender < analysis.matrix.num_ranks; ++sender)
            for (const Priority& entry : analysis.matrix.phases[phase].of(sender)) {
                const Connection pair = {sender, entry.peer};
                text += fmt::format("{},{},{},{},{}", name, sender, entry.peer, entry.messages,
                                    analysis.schedule.connects(phase, pair, analysis.most) ? 1 : 0);
                if (analysis.other) {
                    const auto matched = analysis.other->matched[phase];
                    const bool is_there =
                        matched && analysis.other->schedule.connects(*matched, pair, analysis.most);
                    text += is_there ? ",1" : ",0";
                }
                text += '\n';
            }
    }
    return text;
}

}  // namespace commmap::cli
