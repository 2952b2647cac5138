// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/history_text.hpp"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/command.hpp"
#include "core/history/comparison.hpp"
#include "core/program/application_id.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Formats a time in UTC, so that two clusters say the same.
std::string time_text(std::uint64_t unix_s, const char* format) {
    const auto seconds = static_cast<time_t>(unix_s);
    struct tm utc {};
    std::array<char, 64> text{};
    if (::gmtime_r(&seconds, &utc) == nullptr ||
        ::strftime(text.data(), text.size(), format, &utc) == 0)
        return "?";
    return text.data();
}

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

/// Returns the program's name and the tag.
std::string title_of(const ProgramHistory& history) {
    const std::string tag = tag_of(history.application_id());
    const std::string name = one_line(history.program());
    return (name.empty() ? one_line(history.application_id()) : name) +
           (tag.empty() ? "" : " +" + one_line(tag));
}

/// Returns the runs of the default and of all bases, in the order of their ends.
std::vector<PastRun> runs_of(const RunGroup& group) {
    std::vector<PastRun> runs = group.by_default.runs;
    for (const RunArm& arm : group.placed)
        runs.insert(runs.end(), arm.runs.begin(), arm.runs.end());
    std::stable_sort(runs.begin(), runs.end(), [](const PastRun& a, const PastRun& b) {
        return a.ended_unix_s < b.ended_unix_s;
    });
    return runs;
}

const RunArm* last_basis(const RunGroup& group) {
    return group.placed.empty() ? nullptr : &group.placed.back();
}

std::string signed_percent(double part) { return fmt::format("{:+.1f} %", 100.0 * part); }

std::vector<std::string> row_of(const PastRun& run) {
    std::vector<std::string> row = {
        time_text(run.ended_unix_s, "%Y-%m-%d %H:%M:%SZ"), fmt::format("{}.{}", run.job, run.step),
        std::string(name_of(run.launched_as)), format_seconds(run.wall_s)};
    if (run.predicted_s > 0.0) {
        row.push_back(format_seconds(run.predicted_s));
        row.push_back(signed_percent(run.wall_s / run.predicted_s - 1.0));
        if (run.error > 0.0) row.push_back("within " + signed_percent(run.error).substr(1));
    }
    return row;
}

void add_group(const ProgramHistory& history, const RunGroup& group, std::string& text) {
    text += fmt::format("{}, {} ranks on {} {}{}\n", title_of(history), history.num_ranks(),
                        group.num_nodes, group.num_nodes == 1 ? "node" : "nodes",
                        group.clock == RunClock::mpi ? ", from MPI_Init to MPI_Finalize" : "");
    std::vector<std::vector<std::string>> rows = {
        {"ended", "step", "launched", "measured", "predicted", "measured - predicted"}};
    for (const PastRun& run : runs_of(group)) rows.push_back(row_of(run));
    text += text_of(aligned(rows));
    std::uint64_t older = group.by_default.num_older;
    for (const RunArm& arm : group.placed) older += arm.num_older;
    if (older > 0) text += fmt::format("and {} older ones, only counted\n", older);
    const RunArm* const placed = last_basis(group);
    text += comparison_text(compare(group, placed)) + '\n';
    if (const std::string line = prediction_text(placed); !line.empty()) text += line + '\n';
    if (const std::string line = reversal_text(placed); !line.empty()) text += line + '\n';
}

Json json_of(const PastRun& run) {
    Json json = {{"ended", time_text(run.ended_unix_s, "%Y-%m-%dT%H:%M:%SZ")},
                 {"job", run.job},
                 {"step", run.step},
                 {"launched", name_of(run.launched_as)},
                 {"measured_s", run.wall_s},
                 {"predicted_s", nullptr},
                 {"default_predicted_s", nullptr},
                 {"predicted_error", nullptr},
                 {"placement", nullptr}};
    if (run.predicted_s > 0.0) json["predicted_s"] = run.predicted_s;
    if (run.default_s > 0.0) json["default_predicted_s"] = run.default_s;
    if (run.error > 0.0) json["predicted_error"] = run.error;
    if (run.placement != 0) json["placement"] = hex(run.placement);
    return json;
}

Json json_of(const RunGroup& group, const RunArm& arm) {
    const Comparison compared = compare(group, &arm);
    Json json = {
        {"basis", hex(arm.basis)},   {"runs", compared.num_placed}, {"middle_s", compared.placed_s},
        {"slower_percent", nullptr}, {"chance", nullptr},           {"reversed", nullptr},
        {"prediction", nullptr}};
    if (compared.enough) {
        json["slower_percent"] = 100.0 * compared.slower_by;
        json["chance"] = compared.chance;
    }
    if (const auto& reversal = arm.reversal; reversal)
        json["reversed"] = {{"at", time_text(reversal->decided_unix_s, "%Y-%m-%dT%H:%M:%SZ")},
                            {"slower_percent", 100.0 * reversal->slower_by},
                            {"chance", reversal->chance},
                            {"default_runs", reversal->num_default},
                            {"placed_runs", reversal->num_placed}};
    if (arm.error) {
        json["prediction"] = {{"runs", arm.error->num_runs},
                              {"log_bias", arm.error->bias},
                              {"log_spread", arm.error->spread},
                              {"gain", nullptr}};
        if (const auto& gain = arm.error->gain; gain)
            json["prediction"]["gain"] = {{"default_runs", gain->num_default},
                                          {"predicted", gain->predicted},
                                          {"measured", gain->measured}};
    }
    return json;
}

Json json_of(const RunGroup& group) {
    const Comparison compared = compare(group, nullptr);
    Json json = {{"nodes", group.num_nodes},
                 {"shape", hex(group.shape)},
                 {"arguments", nullptr},
                 {"clock", name_of(group.clock)},
                 {"default", {{"runs", compared.num_default}, {"middle_s", compared.default_s}}},
                 {"placed", Json::array()},
                 {"runs", Json::array()}};
    if (group.arguments != 0) json["arguments"] = hex(group.arguments);
    for (const RunArm& arm : group.placed) json["placed"].push_back(json_of(group, arm));
    for (const PastRun& run : runs_of(group)) json["runs"].push_back(json_of(run));
    return json;
}

}  // namespace

std::string history_summary(std::span<const HistoryStore::Entry> entries) {
    std::vector<std::vector<std::string>> rows = {{"program", "ranks", "nodes", "", ""}};
    std::string unusable;
    for (const HistoryStore::Entry& entry : entries) {
        if (!entry.history) {
            unusable += entry.history.error().message + '\n';
            continue;
        }
        const ProgramHistory& history = entry.history.value();
        for (const RunGroup& group : history.groups()) {
            const RunArm* const placed = last_basis(group);
            const bool is_reversed = placed != nullptr && placed->reversal;
            rows.push_back(
                {title_of(history), std::to_string(history.num_ranks()),
                 std::to_string(group.num_nodes) + (group.clock == RunClock::mpi ? " by mpi" : ""),
                 is_reversed ? "reversed" : "", comparison_text(compare(group, placed))});
        }
    }
    return (rows.size() == 1 ? "" : text_of(aligned(rows))) + unusable;
}

std::string history_text(std::span<const HistoryStore::Entry> entries) {
    std::string text;
    for (const HistoryStore::Entry& entry : entries) {
        if (!entry.history) {
            text += entry.history.error().message + '\n';
            continue;
        }
        for (const RunGroup& group : entry.history.value().groups()) {
            if (!text.empty()) text += '\n';
            add_group(entry.history.value(), group, text);
        }
    }
    return text;
}

std::string history_json(std::span<const HistoryStore::Entry> entries) {
    Json list = Json::array();
    for (const HistoryStore::Entry& entry : entries) {
        if (!entry.history) {
            list.push_back({{"file", entry.path}, {"error", entry.history.error().message}});
            continue;
        }
        const ProgramHistory& history = entry.history.value();
        Json groups = Json::array();
        for (const RunGroup& group : history.groups()) groups.push_back(json_of(group));
        const std::string tag = tag_of(history.application_id());
        list.push_back({{"program", history.program()},
                        {"identity", without_tag(history.application_id())},
                        {"tag", tag.empty() ? Json() : Json(tag)},
                        {"ranks", history.num_ranks()},
                        {"file", entry.path},
                        {"groups", std::move(groups)}});
    }
    return list.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace commmap::cli
