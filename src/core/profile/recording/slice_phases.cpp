// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/slice_phases.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/reduce_by_key.hpp"

namespace commmap {
namespace {

constexpr double near_enough = 0.25;
constexpr double mostly = 0.75;
constexpr std::size_t most_phases = 16;
constexpr double weight_of_a_message = 1024.0;
constexpr std::uint32_t no_phase = UINT32_MAX;

struct Weight {
    std::uint64_t key;
    double weight;
};
using Row = std::vector<Weight>;  // sorted by key

/// What each rank did. A weight divided by `total` is a share.
struct Pattern {
    std::vector<Row> rows;
    double total = 0.0;
};

double weight_of(std::uint64_t count, std::uint64_t bytes) {
    return static_cast<double>(bytes) + weight_of_a_message * static_cast<double>(count);
}

/// @param row  sorted
void reduce_equal_cells(Row& row) {
    row.resize(reduce_by_key(std::span(row), &Weight::key,
                             [](Weight& to, const Weight& from) { to.weight += from.weight; }));
}

Row row_of(const RankRecord::Section& section) {
    constexpr std::uint64_t fetched = std::uint64_t{1} << 61;
    constexpr std::uint64_t collective = std::uint64_t{1} << 62;
    Row row;
    for (const TrafficCell& cell : section.sent)
        row.push_back({cell.key(), weight_of(cell.count, cell.bytes)});
    for (const TrafficCell& cell : section.fetched)
        row.push_back({fetched | cell.key(), weight_of(cell.count, cell.bytes)});
    // The key is communicator and operation, by this rank's own numbers. Collectives that differ
    // only in root or size count as equal.
    for (const RankRecord::Collective& c : section.collectives)
        row.push_back(
            {collective | (std::uint64_t{c.communicator} << 8) | static_cast<std::uint64_t>(c.op),
             weight_of(c.calls, c.bytes)});
    std::sort(row.begin(), row.end(),
              [](const Weight& a, const Weight& b) { return a.key < b.key; });
    reduce_equal_cells(row);
    return row;
}

Row sum_of(const Row& a, const Row& b) {
    Row sum;
    sum.reserve(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(sum),
               [](const Weight& x, const Weight& y) { return x.key < y.key; });
    reduce_equal_cells(sum);
    return sum;
}

void add(Pattern& to, const Pattern& from) {
    if (to.rows.empty()) to.rows.resize(from.rows.size());
    for (std::size_t rank = 0; rank < from.rows.size(); ++rank)
        if (!from.rows[rank].empty()) to.rows[rank] = sum_of(to.rows[rank], from.rows[rank]);
    to.total += from.total;
}

double share_at(const Row& row, std::size_t& at, std::uint64_t key, double total) {
    while (at < row.size() && row[at].key < key) ++at;
    return at < row.size() && row[at].key == key ? row[at].weight / total : 0.0;
}

/// Returns the share of `pattern` that is also in one of two other patterns.
double in_common(const Pattern& pattern, const Pattern& one, const Pattern& other) {
    double common = 0.0;
    for (std::size_t rank = 0; rank < pattern.rows.size(); ++rank) {
        std::size_t in_one = 0;
        std::size_t in_other = 0;
        for (const Weight& w : pattern.rows[rank])
            common += std::min(w.weight / pattern.total,
                               std::max(share_at(one.rows[rank], in_one, w.key, one.total),
                                        share_at(other.rows[rank], in_other, w.key, other.total)));
    }
    return common;
}
double in_common(const Pattern& pattern, const Pattern& other) {
    return in_common(pattern, other, other);
}

double sum_of(const Row& row) {
    double sum = 0.0;
    for (const Weight& w : row) sum += w.weight;
    return sum;
}

/// Returns the common share when each rank is compared for itself, whatever the rank's share of the
/// whole is.
double in_common_by_rank(const Pattern& pattern, const Pattern& other) {
    double common = 0.0;
    for (std::size_t rank = 0; rank < pattern.rows.size(); ++rank) {
        const double mine = sum_of(pattern.rows[rank]);
        const double others = sum_of(other.rows[rank]);
        std::size_t at = 0;
        for (const Weight& w : pattern.rows[rank])
            if (const double share = share_at(other.rows[rank], at, w.key, others); share > 0.0)
                common += mine / pattern.total * std::min(w.weight / mine, share);
    }
    return common;
}

std::vector<Pattern> patterns_of(const std::vector<RankRecord>& records) {
    std::vector<Pattern> patterns;
    for (std::size_t rank = 0; rank < records.size(); ++rank)
        for (const RankRecord::Section& section : records[rank].sections) {
            if (section.slice >= patterns.size()) patterns.resize(section.slice + 1);
            Pattern& pattern = patterns[section.slice];
            pattern.rows.resize(records.size());
            pattern.rows[rank] = row_of(section);
            for (const Weight& w : pattern.rows[rank]) pattern.total += w.weight;
        }
    return patterns;
}

/// Joins single slices to another phase: where one phase passes into another, and at the end.
void join_transitions(const std::vector<Pattern>& patterns, const std::vector<Pattern>& phases,
                      std::vector<std::uint32_t>& phase_of) {
    std::vector<std::size_t> size(phases.size(), 0);
    std::vector<std::size_t> busy;  // slices with a phase
    for (std::size_t slice = 0; slice < patterns.size(); ++slice) {
        if (phase_of[slice] == no_phase) continue;
        ++size[phase_of[slice]];
        busy.push_back(slice);
    }
    for (std::size_t i = 1; i + 1 < busy.size(); ++i) {
        const std::uint32_t before = phase_of[busy[i - 1]];
        const std::uint32_t after = phase_of[busy[i + 1]];
        std::uint32_t& mine = phase_of[busy[i]];
        const Pattern& pattern = patterns[busy[i]];
        if (before == mine || after == mine || before == after ||
            in_common(pattern, phases[before], phases[after]) < mostly)
            continue;
        mine = in_common(pattern, phases[before]) >= in_common(pattern, phases[after]) ? before
                                                                                       : after;
    }
    if (busy.empty() || size[phase_of[busy.back()]] != 1) return;
    const std::uint32_t mine = phase_of[busy.back()];
    double best = mostly;
    for (std::uint32_t other = 0; other < phases.size(); ++other) {
        if (other == mine) continue;
        const double common = in_common_by_rank(patterns[busy.back()], phases[other]);
        if (common < best) continue;
        best = common;
        phase_of[busy.back()] = other;
    }
}

/// Numbers the phases from 0 on, in order of time. A slice without a phase gets the number of the
/// slice before.
void number(std::vector<std::uint32_t>& phase_of) {
    std::vector<std::uint32_t> names;
    std::uint32_t current = 0;
    for (std::uint32_t& phase : phase_of) {
        if (phase != no_phase) {
            const auto known = std::find(names.begin(), names.end(), phase);
            current = static_cast<std::uint32_t>(known - names.begin());
            if (known == names.end()) names.push_back(phase);
        }
        phase = current;
    }
}

}  // namespace

std::vector<std::uint32_t> phases_of_slices(const std::vector<RankRecord>& records) {
    const std::vector<Pattern> patterns = patterns_of(records);
    std::vector<std::uint32_t> phase_of(patterns.size(), no_phase);
    std::vector<Pattern> phases;
    for (std::size_t slice = 0; slice < patterns.size(); ++slice) {
        const Pattern& pattern = patterns[slice];
        if (pattern.total <= 0.0) continue;
        double best = -1.0;
        std::uint32_t nearest = 0;
        for (std::uint32_t i = 0; i < phases.size(); ++i)
            if (const double common = in_common(pattern, phases[i]); common > best) {
                best = common;
                nearest = i;
            }
        if (1.0 - best > near_enough && phases.size() < most_phases) {
            nearest = static_cast<std::uint32_t>(phases.size());
            phases.emplace_back();
        }
        add(phases[nearest], pattern);
        phase_of[slice] = nearest;
    }
    join_transitions(patterns, phases, phase_of);
    number(phase_of);
    return phase_of;
}

}  // namespace commmap
