// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan_reply/cpu_set_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/base/number.hpp"

namespace commmap {
namespace {

constexpr std::size_t most = std::size_t{1} << 22;

Error refuse(std::string_view what) {
    return Error{Errc::invalid_input, "wrong CPU sets: " + std::string(what)};
}

/// Calls `take` for each part between separators; an empty text has one empty part.
template <class Take>
Status for_each_part(std::string_view text, char separator, Take&& take) {
    for (;;) {
        const auto end = text.find(separator);
        if (Status taken = take(text.substr(0, end)); !taken) return taken;
        if (end == std::string_view::npos) return Ok{};
        text.remove_prefix(end + 1);
    }
}

Status read_pattern(std::string_view text, CpuSetTable::Pattern& pattern) {
    if (text.empty()) return Ok{};
    Status read = for_each_part(text, ',', [&](std::string_view part) -> Status {
        const auto index = parse_number(part);
        if (!index || *index >= most)
            return refuse(fmt::format("'{}' is no index of a CPU set", part.substr(0, 20)));
        if (pattern.size() == most) return refuse("too many CPU sets");
        pattern.push_back(static_cast<std::uint32_t>(*index));
        return Ok{};
    });
    if (!read) return read;
    CpuSetTable::Pattern sorted = pattern;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return refuse("one CPU set for two tasks");
    if (sorted.back() >= sorted.size()) return refuse("a CPU set that the node does not have");
    return Ok{};
}

}  // namespace

Result<CpuSetTable> CpuSetTable::parse(std::string_view text) {
    const auto at = text.find('@');
    if (at == std::string_view::npos) return refuse("no '@'");
    CpuSetTable table;
    const Status patterns =
        for_each_part(text.substr(0, at), '/', [&](std::string_view part) -> Status {
            if (table.patterns_.size() == most) return refuse("too many patterns");
            return read_pattern(part, table.patterns_.emplace_back());
        });
    if (!patterns) return patterns.error();
    const Status runs =
        for_each_part(text.substr(at + 1), ',', [&](std::string_view part) -> Status {
            const auto by = part.find('x');
            if (by == std::string_view::npos) return refuse("a run of nodes without 'x'");
            const auto pattern = parse_number(part.substr(0, by));
            const auto count = parse_number(part.substr(by + 1));
            if (!pattern || *pattern >= table.patterns_.size())
                return refuse("a run names no pattern");
            if (!count || *count == 0 || *count > most - table.num_nodes_)
                return refuse("a run of too few or too many nodes");
            table.runs_.push_back(
                {static_cast<std::size_t>(*pattern), static_cast<std::size_t>(*count)});
            table.num_nodes_ += static_cast<std::size_t>(*count);
            return Ok{};
        });
    if (!runs) return runs.error();
    return table;
}

CpuSetTable CpuSetTable::of_nodes(const std::vector<Pattern>& of_node) {
    CpuSetTable table;
    std::map<Pattern, std::size_t> numbers;
    for (const Pattern& pattern : of_node) {
        const auto [known, added] = numbers.try_emplace(pattern, table.patterns_.size());
        if (added) table.patterns_.push_back(pattern);
        table.add_nodes(known->second, 1);
    }
    return table;
}

void CpuSetTable::add_nodes(std::size_t pattern, std::size_t count) {
    if (!runs_.empty() && runs_.back().pattern == pattern)
        runs_.back().count += count;
    else
        runs_.push_back({pattern, count});
    num_nodes_ += count;
}

std::string CpuSetTable::text() const {
    std::string text;
    for (std::size_t index = 0; index < patterns_.size(); ++index) {
        if (index > 0) text += '/';
        for (std::size_t task = 0; task < patterns_[index].size(); ++task) {
            if (task > 0) text += ',';
            text += std::to_string(patterns_[index][task]);
        }
    }
    text += '@';
    for (std::size_t index = 0; index < runs_.size(); ++index) {
        if (index > 0) text += ',';
        text += fmt::format("{}x{}", runs_[index].pattern, runs_[index].count);
    }
    return text;
}

std::string CpuSetTable::text_of_used_nodes() const {
    CpuSetTable used;
    std::vector<std::size_t> new_index(patterns_.size(), 0);
    for (std::size_t index = 0; index < patterns_.size(); ++index) {
        if (patterns_[index].empty()) continue;
        new_index[index] = used.patterns_.size();
        used.patterns_.push_back(patterns_[index]);
    }
    for (const Run& run : runs_)
        if (!patterns_[run.pattern].empty()) used.add_nodes(new_index[run.pattern], run.count);
    return used.text();
}

const CpuSetTable::Pattern* CpuSetTable::pattern_of(std::size_t node) const {
    for (const Run& run : runs_) {
        if (node < run.count) return &patterns_[run.pattern];
        node -= run.count;
    }
    return nullptr;
}

}  // namespace commmap
