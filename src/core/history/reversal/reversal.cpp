// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/reversal/reversal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/history/reversal/rank_sum.hpp"

namespace commmap {
namespace {

constexpr unsigned first_look = 5;  // below 32 pairs no order is unlikely enough
constexpr unsigned last_full_look = 11;
constexpr double chance_of_a_look = 0.0012;

std::vector<double> logarithms(std::span<const double> values) {
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values) logs.push_back(std::log(value));
    return logs;
}

}  // namespace

unsigned look_of(std::uint64_t num_default, std::uint64_t num_placed) {
    if (std::min(num_default, num_placed) < least_runs_compared) return 0;
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t pairs = num_default > most / num_placed ? most : num_default * num_placed;
    const auto look = static_cast<unsigned>(std::bit_width(pairs)) - 1;
    return look < first_look ? 0 : look;
}

double chance_allowed(unsigned look) {
    if (look < first_look) return 0.0;
    if (look <= last_full_look) return chance_of_a_look;
    return std::ldexp(chance_of_a_look, -static_cast<int>(look - last_full_look));
}

Loss loss_of(std::span<const double> default_s, std::span<const double> placed_s) {
    return {std::expm1(middle_difference(logarithms(default_s), logarithms(placed_s))),
            chance_of_pairs(pairs_above(default_s, placed_s), default_s.size(), placed_s.size())};
}

std::optional<Loss> loss_beyond_noise(std::span<const double> default_s,
                                      std::span<const double> placed_s, unsigned look) {
    if (std::min(default_s.size(), placed_s.size()) < least_runs_compared) return std::nullopt;
    const Loss loss = loss_of(default_s, placed_s);
    if (loss.chance > chance_allowed(look) || loss.slower_by < least_loss) return std::nullopt;
    return loss;
}

}  // namespace commmap
