// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/reversal/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace commmap {
namespace {

constexpr std::size_t most_exact_pairs = 400;

/// Counts the orders that have 0, 1, 2, ... pairs. These are the coefficients of the Gaussian
/// binomial, the product over i of (1 - q^(m+i)) / (1 - q^i). A double holds such whole numbers
/// exactly far from the middle, which is where they matter.
std::vector<double> orders_by_pairs(std::size_t n, std::size_t m) {
    const std::size_t most = n * m;
    std::vector<double> count(most + 1, 0.0);
    count[0] = 1.0;
    for (std::size_t i = 1; i <= n; ++i) {
        for (std::size_t k = most + 1; k-- > m + i;) count[k] -= count[k - m - i];
        for (std::size_t k = i; k <= most; ++k) count[k] += count[k - i];
    }
    return count;
}

}  // namespace

std::uint64_t pairs_above(std::span<const double> first, std::span<const double> second) {
    std::vector<double> sorted(first.begin(), first.end());
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t pairs = 0;
    for (const double value : second)
        pairs += static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                            sorted.begin());
    return pairs;
}

double chance_of_pairs(std::uint64_t pairs, std::size_t n, std::size_t m) {
    if (n == 0 || m == 0 || pairs == 0) return 1.0;
    const std::size_t most = n * m;
    if (pairs > most) return 0.0;
    if (most <= most_exact_pairs) {
        const std::vector<double> count = orders_by_pairs(std::min(n, m), std::max(n, m));
        double all = 0.0;
        double as_many = 0.0;
        for (std::size_t k = 0; k <= most; ++k) all += count[k];
        // By symmetry, at least `pairs` pairs are as likely as at most `most - pairs`.
        for (std::size_t k = 0; k <= most - pairs; ++k) as_many += count[k];
        return as_many / all;
    }
    const auto a = static_cast<double>(n);
    const auto b = static_cast<double>(m);
    const double deviation = std::sqrt(a * b * (a + b + 1.0) / 12.0);
    const double above = (static_cast<double>(pairs) - 0.5 - a * b / 2.0) / deviation;
    return 0.5 * std::erfc(above / std::sqrt(2.0));
}

double middle_of(std::span<const double> values) {
    if (values.empty()) return 0.0;
    std::vector<double> list(values.begin(), values.end());
    const auto half = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), half, list.end());
    if (list.size() % 2 == 1) return *half;
    return 0.5 * (*half + *std::max_element(list.begin(), half));
}

double middle_difference(std::span<const double> first, std::span<const double> second) {
    std::vector<double> differences;
    differences.reserve(first.size() * second.size());
    for (const double one : first)
        for (const double other : second) differences.push_back(other - one);
    return middle_of(differences);
}

}  // namespace commmap
