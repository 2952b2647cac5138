// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/switch_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "core/calibration/upper_median.hpp"

namespace commmap {
namespace {

constexpr double most_of_limit = 0.85;
constexpr double most_of_limited_pair = 0.9;
constexpr double most_spread = 0.15;

MeasuredValue median_with_spread(const std::vector<double>& blocks) {
    const auto [smallest, largest] = std::minmax_element(blocks.begin(), blocks.end());
    const double median = upper_median(blocks);
    return {median, (*largest - *smallest) / median};
}

/// Blocks of each pair, for one length of one series. Empty blocks: a pair that has no answer.
using Pairs = std::vector<std::vector<double>>;

/// Takes an answer in. A pair with a second answer, or with damaged blocks, ends with none.
void take(const Measured& one, std::size_t num_pairs, Pairs& pairs, std::vector<bool>& seen) {
    pairs.resize(num_pairs);
    seen.resize(num_pairs, false);
    const bool again = seen[one.pair];
    seen[one.pair] = true;
    const bool whole = std::all_of(one.blocks.begin(), one.blocks.end(),
                                   [](double value) { return std::isfinite(value) && value > 0; });
    pairs[one.pair] = whole && !again ? one.blocks : std::vector<double>{};
}

/// Whether each pair has an answer, with as many blocks as the others.
bool is_whole(const Pairs& pairs) {
    return !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const auto& blocks) {
        return !blocks.empty() && blocks.size() == pairs.front().size();
    });
}

bool is_steady(const MeasuredSwitch& values) {
    return values.alone->spread <= most_spread && values.together->spread <= most_spread;
}

MeasuredSwitch judged(const Pairs& alone, const Pairs& together) {
    MeasuredSwitch found;
    found.alone = median_with_spread(alone.front());
    std::vector<double> sums(together.front().size(), 0.0);
    std::size_t limited = 0;
    const auto is_limited = [&](const std::vector<double>& blocks) {
        return upper_median(blocks) < most_of_limited_pair * found.alone->value;
    };
    for (const std::vector<double>& blocks : together) {
        for (std::size_t b = 0; b < sums.size(); ++b) sums[b] += blocks[b];
        limited += is_limited(blocks) ? 1U : 0U;
    }
    found.together = median_with_spread(sums);
    const auto num_pairs = static_cast<double>(together.size());
    found.is_limit = found.together->value < most_of_limit * num_pairs * found.alone->value &&
                     is_limited(together.front()) && 2 * limited > together.size() &&
                     is_steady(found);
    return found;
}

}  // namespace

std::vector<MeasuredSwitch> fit_switches(std::span<const SwitchKind> kinds,
                                         std::span<const Series> series,
                                         std::span<const Measured> measured) {
    struct OfLength {
        Pairs alone, together;
        std::vector<bool> seen_alone, seen_together;
    };
    std::map<std::pair<std::uint32_t, std::uint64_t>, OfLength> all;  // by kind and length
    for (const Measured& one : measured) {
        if (one.series >= series.size()) continue;
        const Series& of = series[one.series];
        if (of.pattern != MeasuringPattern::together || of.switch_kind >= kinds.size()) continue;
        const std::size_t num_pairs = of.senders.size();
        if (one.pair >= num_pairs) continue;
        OfLength& values = all[{of.switch_kind, one.length_bytes}];
        if (num_pairs == 1) {
            take(one, num_pairs, values.alone, values.seen_alone);
        } else {
            take(one, num_pairs, values.together, values.seen_together);
        }
    }
    std::vector<MeasuredSwitch> switches(kinds.size());
    for (const auto& [key, values] : all) {
        if (!is_whole(values.alone) || !is_whole(values.together)) continue;
        MeasuredSwitch& most = switches[key.first];
        const MeasuredSwitch found = judged(values.alone, values.together);
        const auto rank = [](const MeasuredSwitch& one) {
            return std::pair(is_steady(one), one.together->value);
        };
        if (!most.measured() || rank(found) > rank(most)) most = found;
    }
    return switches;
}

}  // namespace commmap
