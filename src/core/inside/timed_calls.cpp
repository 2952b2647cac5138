// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/timed_calls.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/number.hpp"
#include "core/inside/choices.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap::inside {
namespace {

constexpr std::string_view timed_word = "timed";

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Returns which of ascending values, from 0, is the lower end of their median's 95 % interval: the
/// last k with P(Binomial(n, 1/2) <= k) <= 2.5 %.
std::size_t rank_of_lower_end(std::size_t num_values) {
    constexpr double beyond_one_end = 0.025;
    const auto n = static_cast<double>(num_values);
    double below = 0.0;
    std::size_t rank = 0;
    for (std::size_t k = 0; k < num_values; ++k) {
        const auto at = static_cast<double>(k);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(at + 1) - std::lgamma(n - at + 1) -
                          n * std::log(2.0));
        if (below > beyond_one_end) break;
        rank = k;
    }
    return rank;
}

}  // namespace

std::string write_calls(std::span<const CallToTime> calls) {
    std::string text;
    for (const CallToTime& call : calls)
        text += fmt::format("{} {}\n", collective_name(call.op), call.bytes);
    return text;
}

Result<std::vector<CallToTime>> read_calls(std::string_view text) {
    std::vector<CallToTime> calls;
    for (TextLines lines("calls", text); lines.next();) {
        Words words(lines.line());
        const auto op = parse_operation(words.next());
        if (!op) return lines.error(op.error().message);
        const std::string_view word = words.next();
        const auto bytes = parse_number(word);
        if (!bytes || *bytes == 0 || *bytes > most_bytes_timed) {
            return lines.error(
                fmt::format("expected 1 to {} bytes, not {}", most_bytes_timed, quoted_word(word)));
        }
        calls.push_back({op.value(), *bytes});
    }
    return calls;
}

std::string write_timed(const TimedCall& timed) {
    std::string line =
        fmt::format("{} {} {}", timed_word, collective_name(timed.call.op), timed.call.bytes);
    for (const TimedRound& round : timed.rounds)
        line += fmt::format(" {} {}", round.native_s, round.algorithm_s);
    return line + '\n';
}

std::optional<TimedCall> read_timed(std::string_view line) {
    Words words(line);
    if (words.next() != timed_word) return std::nullopt;
    const auto op = parse_operation(words.next());
    const auto bytes = parse_number(words.next());
    if (!op || !bytes) return std::nullopt;
    TimedCall timed{{op.value(), *bytes}, {}};
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        const auto native = parse_positive(word);
        const auto other = parse_positive(words.next());
        if (!native || !other) return std::nullopt;
        timed.rounds.push_back({*native, *other});
    }
    if (timed.rounds.size() < rounds_of_slow_ones) return std::nullopt;
    return timed;
}

MeasuredCall summary_of(const TimedCall& timed) {
    std::vector<double> native;
    std::vector<double> other;
    std::vector<double> gains;
    for (const TimedRound& round : timed.rounds) {
        native.push_back(round.native_s);
        other.push_back(round.algorithm_s);
        gains.push_back(round.native_s / round.algorithm_s);
    }
    std::sort(gains.begin(), gains.end());
    return {timed.call.bytes, 1e6 * median(std::move(native)), 1e6 * median(std::move(other)),
            gains[rank_of_lower_end(gains.size())]};
}

}  // namespace commmap::inside
