// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/text/one_line.hpp"
#include "core/text/suggest.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

/// Sums of a whole run.
struct Figures {
    double bytes = 0.0;
    double messages = 0.0;
    double pairs = 0.0;
    double largest_sender = 0.0;
    double collectives = 0.0;
    double collective_bytes = 0.0;
    double wall_s = 0.0;
    double mpi_s = 0.0;
};

std::string plain(double value) { return fmt::format("{:.0f}", value); }

struct Figure {
    std::string_view name;
    std::string_view help;
    double Figures::*value;
    std::string (*show)(double);
};
constexpr std::array figures{
    Figure{"bytes", "sent from rank to rank", &Figures::bytes, format_bytes},
    Figure{"messages", "from rank to rank", &Figures::messages, plain},
    Figure{"pairs", "of ranks that send", &Figures::pairs, plain},
    Figure{"largest-sender", "bytes of the rank that sends most", &Figures::largest_sender,
           format_bytes},
    Figure{"collectives", "calls", &Figures::collectives, plain},
    Figure{"collective-bytes", "of all members", &Figures::collective_bytes, format_bytes},
    Figure{"wall-time", "of the slowest rank", &Figures::wall_s, format_seconds},
    Figure{"mpi-time", "mean over ranks", &Figures::mpi_s, format_seconds},
};

Figures figures_of(const Profile& profile, const Phase& whole) {
    Figures sum;
    for (RankId rank = 0; rank < profile.num_ranks(); ++rank) {
        const auto row = whole.sent.sent_by(rank);
        const TrafficSum sent = sum_of(row);
        sum.bytes += static_cast<double>(sent.bytes);
        sum.messages += static_cast<double>(sent.count);
        sum.pairs += static_cast<double>(peers_of(row).size());
        sum.largest_sender = std::max(sum.largest_sender, static_cast<double>(sent.bytes));
        sum.wall_s = std::max(sum.wall_s, profile.ranks[rank].wall_s);
        sum.mpi_s += profile.ranks[rank].mpi_s / static_cast<double>(profile.num_ranks());
    }
    for (const CollectiveRecord& record : whole.collectives) {
        sum.collectives += static_cast<double>(record.calls);
        sum.collective_bytes += static_cast<double>(record.member_bytes);
    }
    return sum;
}

/// Returns the growth in percent of `before`; infinite if `before` is 0.
double growth_percent(double before, double after) {
    if (before == after) return 0.0;
    return before == 0.0 ? INFINITY : 100.0 * (after - before) / before;
}

std::string growth_text(double percent) {
    if (std::isinf(percent)) return "new";
    return fmt::format("{:+.1f} %", percent);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    for (const std::string& line : aligned(rows)) text += line + '\n';
    return text;
}

/// Returns the bytes before and after of each phase that has a name, by its name.
std::map<std::string, std::pair<double, double>> phases_of(const Profile& before,
                                                           const Profile& after) {
    std::map<std::string, std::pair<double, double>> phases;
    for (const Profile* profile : {&before, &after}) {
        if (profile->slice_s > 0.0) continue;
        for (const Phase& phase : profile->phases) {
            auto& [old_bytes, new_bytes] = phases[phase.label];
            (profile == &before ? old_bytes : new_bytes) +=
                static_cast<double>(sum_of(phase.sent.cells()).bytes);
        }
    }
    if (phases.size() == 1 && phases.begin()->first.empty()) phases.clear();
    return phases;
}

struct Pair {
    RankId from;
    RankId to;
    double before;
    double after;
    [[nodiscard]] double change() const { return std::abs(after - before); }
};

/// Returns the pairs of ranks whose bytes differ most, at most `most`.
std::vector<Pair> largest_changes(const Phase& before, const Phase& after, std::size_t num_ranks,
                                  std::size_t most) {
    std::vector<Pair> changes;
    const auto less = [](const Pair& a, const Pair& b) { return a.change() > b.change(); };
    for (RankId from = 0; from < num_ranks; ++from) {
        std::map<RankId, std::pair<double, double>> peers;
        for (const PeerSum& to : peers_of(before.sent.sent_by(from)))
            peers[to.peer].first = static_cast<double>(to.bytes);
        for (const PeerSum& to : peers_of(after.sent.sent_by(from)))
            peers[to.peer].second = static_cast<double>(to.bytes);
        for (const auto& [to, bytes] : peers) {
            const Pair pair{from, to, bytes.first, bytes.second};
            if (pair.change() <= 0.0) continue;
            if (changes.size() == most && !less(pair, changes.back())) continue;
            changes.insert(std::upper_bound(changes.begin(), changes.end(), pair, less), pair);
            if (changes.size() > most) changes.pop_back();
        }
    }
    return changes;
}

}  // namespace

Result<ChangeLimit> parse_change_limit(const std::string& text) {
    const auto sign = text.find_first_of("<>");
    const auto wrong = [&](const std::string& why) {
        return Error{
            Errc::invalid_input,
            fmt::format("'{}' is no limit{}; give for instance 'bytes>+10%' or 'messages<-5%'",
                        text, why)};
    };
    if (sign == std::string::npos) return wrong("");
    ChangeLimit limit{text, text.substr(0, sign), text[sign] == '>', 0.0};
    std::vector<std::string_view> names;
    names.reserve(figures.size());
    for (const Figure& figure : figures) names.push_back(figure.name);
    if (std::find(names.begin(), names.end(), limit.figure) == names.end()) {
        std::string known;
        for (const std::string_view name : names)
            known += (known.empty() ? "" : ", ") + std::string(name);
        return wrong(fmt::format(": no figure is called '{}'{} ({})", limit.figure,
                                 did_you_mean(limit.figure, names), known));
    }
    std::string_view number = std::string_view(text).substr(sign + 1);
    if (number.starts_with('+')) number.remove_prefix(1);
    if (!number.ends_with('%')) return wrong(": it has no %");
    number.remove_suffix(1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), limit.percent);
    if (error != std::errc{} || end != number.data() + number.size() ||
        !std::isfinite(limit.percent))
        return wrong(": what is before % is no number");
    return limit;
}

ProfileDiff diff_profiles(const Profile& before, const Profile& after,
                          const std::vector<ChangeLimit>& limits) {
    const Phase old_whole = whole_run(before);
    const Phase new_whole = whole_run(after);
    const Figures old_figures = figures_of(before, old_whole);
    const Figures new_figures = figures_of(after, new_whole);
    ProfileDiff diff;
    if (before.num_ranks() != after.num_ranks())
        diff.text =
            fmt::format("ranks: {} before, {} after\n", before.num_ranks(), after.num_ranks());
    std::vector<std::vector<std::string>> rows = {{"figure", "before", "after", "change"}};
    for (const Figure& figure : figures) {
        const double old_value = old_figures.*figure.value;
        const double new_value = new_figures.*figure.value;
        const double percent = growth_percent(old_value, new_value);
        rows.push_back({std::string(figure.name), figure.show(old_value), figure.show(new_value),
                        growth_text(percent)});
        for (const ChangeLimit& limit : limits) {
            if (limit.figure != figure.name) continue;
            if (limit.above ? percent > limit.percent : percent < limit.percent)
                diff.exceeded.push_back(fmt::format("{}: {} ({} before, {} after)", limit.text,
                                                    growth_text(percent), figure.show(old_value),
                                                    figure.show(new_value)));
        }
    }
    for (const auto& [label, bytes] : phases_of(before, after))
        rows.push_back({"phase " + (label.empty() ? "(outside)" : one_line(label)) + ", bytes",
                        format_bytes(bytes.first), format_bytes(bytes.second),
                        growth_text(growth_percent(bytes.first, bytes.second))});
    diff.text += table(rows);
    if (before.num_ranks() != after.num_ranks()) return diff;
    constexpr std::size_t most_pairs = 5;
    rows = {{"from", "to", "bytes before", "after"}};
    for (const Pair& pair : largest_changes(old_whole, new_whole, before.num_ranks(), most_pairs))
        rows.push_back({std::to_string(pair.from), std::to_string(pair.to),
                        format_bytes(pair.before), format_bytes(pair.after)});
    diff.text += rows.size() == 1 ? "every pair of ranks sends as much as before\n" : table(rows);
    return diff;
}

}  // namespace commmap::cli
