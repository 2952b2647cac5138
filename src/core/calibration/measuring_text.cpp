// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/measuring_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/base/number.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

using namespace std::string_view_literals;

constexpr std::array pattern_names{
    "round-trips"sv, "streams"sv,        "both-ways"sv,         "each-pair"sv, "work"sv,
    "gaps"sv,        "send-overheads"sv, "receive-overheads"sv, "together"sv};
constexpr std::string_view measured_word = "measured";
constexpr std::string_view measured_pair_word = "measured-pair";
constexpr std::string_view library_word = "library ";
/// The measuring program allocates messages of this length.
constexpr std::uint64_t longest_message = std::uint64_t{1} << 30U;
/// A burst of them has to fit into the buffers of an MPI, whose senders would wait otherwise.
constexpr std::uint64_t longest_short_message = 1024;

Result<NamedSeries> read_line(const TextLines& text) {
    Words words(text.line());
    NamedSeries series;
    const std::string_view name = words.next();
    const auto* known = std::find(pattern_names.begin(), pattern_names.end(), name);
    if (known == pattern_names.end()) {
        return text.error("expected a pattern like round-trips or streams, not " +
                          quoted_word(name));
    }
    series.pattern = static_cast<MeasuringPattern>(known - pattern_names.begin());
    Words lengths(words.next(), ",");
    for (std::string_view word = lengths.next(); !word.empty(); word = lengths.next()) {
        const auto length = parse_number(word);
        if (!length || *length == 0 || *length > longest_message) {
            return text.error(fmt::format("expected a length from 1 to {} bytes, not {}",
                                          longest_message, quoted_word(word)));
        }
        if (!series.lengths_bytes.empty() && *length <= series.lengths_bytes.back()) {
            return text.error("lengths must ascend: " + quoted_word(word));
        }
        series.lengths_bytes.push_back(*length);
    }
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        const std::size_t arrow = word.find('>');
        const std::string_view sender = word.substr(0, arrow);
        const std::string_view receiver =
            arrow == std::string_view::npos ? std::string_view{} : word.substr(arrow + 1);
        const bool one_node = series.pattern == MeasuringPattern::work;
        if (sender.empty() || receiver.empty() || (sender == receiver) != one_node) {
            return text.error((one_node ? "expected NODE>NODE, one node, not "
                                        : "expected SENDER>RECEIVER, two nodes, not ") +
                              quoted_word(word));
        }
        series.pairs.emplace_back(sender, receiver);
    }
    if (series.lengths_bytes.empty() || series.pairs.empty()) {
        return text.error("a series has lengths and pairs of nodes");
    }
    if (is_of_short_messages(series.pattern) &&
        (series.pairs.size() > 1 || series.lengths_bytes.back() > longest_short_message)) {
        return text.error(fmt::format("expected one pair, and lengths of at most {} bytes, for {}",
                                      longest_short_message, name));
    }
    return series;
}

}  // namespace

std::string_view name_of(MeasuringPattern pattern) {
    return pattern_names.at(static_cast<std::size_t>(pattern));
}

std::string write_series(const std::vector<NamedSeries>& series) {
    std::string text;
    for (const NamedSeries& one : series) {
        text += name_of(one.pattern);
        char separator = ' ';
        for (const std::uint64_t length : one.lengths_bytes) {
            text += std::exchange(separator, ',') + std::to_string(length);
        }
        for (const auto& [sender, receiver] : one.pairs) {
            text += fmt::format(" {}>{}", sender, receiver);
        }
        text += '\n';
    }
    return text;
}

Result<std::vector<NamedSeries>> read_series(std::string_view text) {
    std::vector<NamedSeries> all;
    for (TextLines lines("series", text); lines.next();) {
        auto series = read_line(lines);
        if (!series) return series.error();
        all.push_back(std::move(series).value());
    }
    return all;
}

std::string write_measured(const Measured& measured) {
    std::string line =
        measured.pair == no_id
            ? fmt::format("{} {} {}", measured_word, measured.series, measured.length_bytes)
            : fmt::format("{} {} {} {}", measured_pair_word, measured.series, measured.pair,
                          measured.length_bytes);
    for (const double value : measured.blocks) line += fmt::format(" {}", value);
    return line + '\n';
}

std::optional<Measured> read_measured(std::string_view line) {
    Words words(line);
    const std::string_view begin = words.next();
    const bool of_pair = begin == measured_pair_word;
    if (!of_pair && begin != measured_word) return std::nullopt;
    const auto series = parse_number(words.next());
    const auto pair = of_pair ? parse_number(words.next()) : no_id;
    const auto length = parse_number(words.next());
    if (!series || *series > UINT32_MAX || !length || *length == 0) return std::nullopt;
    if (!pair || (of_pair && *pair >= no_id)) return std::nullopt;
    Measured measured{
        static_cast<std::uint32_t>(*series), *length, {}, static_cast<std::uint32_t>(*pair)};
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        const auto value = parse_positive(word);
        if (!value) return std::nullopt;
        measured.blocks.push_back(*value);
    }
    if (measured.blocks.empty()) return std::nullopt;
    return measured;
}

std::string write_library(std::string_view name) {
    return fmt::format("{}{}\n", library_word, one_line(name, 80));
}

std::optional<std::string> read_library(std::string_view line) {
    if (!line.starts_with(library_word)) return std::nullopt;
    return one_line(line.substr(library_word.size()), 80);
}

}  // namespace commmap
