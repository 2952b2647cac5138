// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/profile/phase_name.hpp"
#include "core/program/application_id.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

/// Files that are read as one profile.
struct Runs {
    std::vector<const ProfileStore::Entry*> entries;
    std::uint64_t bytes = 0;
};

std::string age_of(std::uint64_t recorded_unix_s, std::time_t now) {
    const double seconds = std::difftime(now, static_cast<std::time_t>(recorded_unix_s));
    constexpr std::pair<double, const char*> units[] = {
        {365.25 * 86400, "y"}, {86400, "d"}, {3600, "h"}, {60, "min"}};
    for (const auto& [length, name] : units) {
        if (seconds < 2 * length) continue;
        return fmt::format("{:.0f} {}", seconds / length, name);
    }
    return "now";
}

/// Returns the phases that send most: "solve 80 %, fft 15 %".
std::string top_phases(const ProfileFile& profile) {
    std::vector<std::pair<double, std::string>> shares;
    double all = 0.0;
    for (const ProfileFile::PhaseSummary& phase : profile.phases()) {
        const auto bytes = static_cast<double>(phase.sent.bytes);
        all += bytes;
        const bool found = profile.head().slice_s > 0.0;
        shares.emplace_back(bytes, phase_name(found, shares.size(), phase.label));
    }
    if (shares.size() < 2) return "";
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    constexpr std::size_t most_shown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(shares.size(), most_shown); ++i) {
        const double percent = all > 0.0 ? 100.0 * shares[i].first / all : 0.0;
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", shares[i].second, percent);
    }
    return text + (shares.size() > most_shown ? ", ..." : "");
}

std::vector<std::string> row_of(const Runs& runs, std::time_t now, bool each_run) {
    const StoredName& name = runs.entries.front()->name;
    const std::string& path = runs.entries.front()->path;
    const std::string_view whole = std::string_view(path).substr(path.rfind('/') + 1);
    std::string program = "(cannot be read: profile verify says why)";
    std::string age = "?";
    std::string phases;
    std::size_t count = 0;
    std::size_t damaged = 0;
    bool described = false;  // the last readable run describes them
    for (const ProfileStore::Entry* entry : runs.entries) {
        const auto opened = open_stored_profile(entry->path);
        damaged += opened ? 0 : 1;
        count += opened ? opened.value().head().runs : 1;
        if (!opened || std::exchange(described, true)) continue;
        const Profile& head = opened.value().head();
        program = one_line(head.command);
        if (head.recorded_unix_s != 0) age = age_of(head.recorded_unix_s, now);
        phases = top_phases(opened.value());
    }
    if (damaged > 0 && damaged < runs.entries.size())
        program += fmt::format(" ({} cannot be read)", damaged);
    if (const std::string tag = tag_of(name.application_id); !tag.empty()) program += " +" + tag;
    if (name.partial) program += " (partial)";
    std::vector<std::string> row = {std::to_string(name.num_ranks),
                                    std::to_string(count),
                                    age,
                                    format_bytes(static_cast<double>(runs.bytes)),
                                    program,
                                    std::string(each_run ? whole : profile_key_of(whole))};
    if (!phases.empty()) row.push_back(phases);
    return row;
}

}  // namespace

Result<std::string> profile_list(std::span<const ProfileStore> stores, std::time_t now,
                                 bool each_run, const std::optional<std::string>& tag) {
    std::string text;
    for (const ProfileStore& store : stores) {
        auto entries = store.list();
        if (!entries) return entries.error();
        if (tag)
            std::erase_if(entries.value(), [&](const ProfileStore::Entry& entry) {
                return tag_of(entry.name.application_id) != *tag;
            });
        if (entries.value().empty()) continue;
        std::map<std::tuple<std::string_view, std::size_t, bool, std::string_view>, Runs> kinds;
        for (const ProfileStore::Entry& entry : entries.value()) {
            const StoredName& name = entry.name;
            Runs& runs = kinds[{name.application_id, name.num_ranks, name.partial,
                                each_run ? std::string_view(name.run) : std::string_view()}];
            runs.entries.push_back(&entry);
            runs.bytes += entry.size_bytes;
        }
        std::vector<std::vector<std::string>> rows = {
            {"ranks", "runs", "age", "size", "program", "name", "phases that send most"}};
        for (auto& [kind, runs] : kinds) {
            std::sort(runs.entries.begin(), runs.entries.end(), [](const auto* a, const auto* b) {
                return is_read_before(a->name, b->name);
            });
            rows.push_back(row_of(runs, now, each_run));
        }
        text += "in " + store.directory() + "\n";
        for (const std::string& line : aligned(rows)) text += line + '\n';
    }
    if (!text.empty()) return text;
    std::string where;
    for (const ProfileStore& store : stores)
        where += (where.empty() ? "" : " or ") + store.directory();
    const std::string which = !tag           ? ""
                              : tag->empty() ? " without a tag"
                                             : " with the tag '" + *tag + "'";
    return fmt::format("no profiles{} in {} (record one: srun --commmap=profile ./app)\n", which,
                       where);
}

}  // namespace commmap::cli
