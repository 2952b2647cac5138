// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace commmap {

/// Counts the pairs of a value of each list in which the second list's value is larger. Equal
/// values do not count.
/// Cost: O((n + m) * log(n + m)).
[[nodiscard]] std::uint64_t pairs_above(std::span<const double> first,
                                        std::span<const double> second);

/// Returns the chance (p-value) that pairs_above() is at least `pairs` when both lists come from
/// one distribution, so that all orders of the n + m values are equally likely. With equal values
/// the true chance is smaller.
///
/// Exact up to n * m = 400, by the recurrence of Gaussian binomials. Above, by the normal
/// distribution with a continuity correction, which is a little too large in the tail.
/// @return  1 when a list is empty
/// Cost: O(n * (n * m)) where exact.
/// Source: Mann, Whitney, "On a Test of Whether One of Two Random Variables is Stochastically
/// Larger than the Other", Ann. Math. Statist. 18 (1947).
[[nodiscard]] double chance_of_pairs(std::uint64_t pairs, std::size_t n, std::size_t m);

/// Returns the median of all m * n differences second - first: by how much the second list is
/// shifted (Hodges-Lehmann estimator). Robust: a quarter of either list may hold anything. 0 when a
/// list is empty.
/// Cost: O(n * m).
/// Source: Hodges, Lehmann, "Estimates of Location Based on Rank Tests", Ann. Math. Statist. 34
/// (1963).
[[nodiscard]] double middle_difference(std::span<const double> first,
                                       std::span<const double> second);

/// Returns the median of a list, which is the mean of the two middle values of an even list; 0 for
/// an empty list.
/// Cost: O(n).
[[nodiscard]] double middle_of(std::span<const double> values);

}  // namespace commmap
