#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace commmap {

/// In how many pairs the second is larger than the first. Equal ones count as not larger.
/// Cost: O((n + m) * log(n + m)).
[[nodiscard]] std::uint64_t pairs_above(std::span<const double> first,
                                        std::span<const double> second);

/// The chance that pairs_above() is at least `pairs` when both lists are of one kind: all orders of
/// the n + m values are equally likely. Where values are equal, the true chance is smaller.
///
/// Exact up to n * m = 400, by the recurrence of Gaussian binomials; above by the normal
/// distribution with a continuity correction, which is a little too large far out.
/// @return  1 when a list is empty
/// Cost: O(n * (n * m)) where exact. Source: Mann, Whitney, "On a Test of Whether One of Two Random
/// Variables is Stochastically Larger than the Other", Ann. Math. Statist. 18 (1947).
[[nodiscard]] double chance_of_pairs(std::uint64_t pairs, std::size_t n, std::size_t m);

/// The middle of all m * n differences second - first: by how much the second list is shifted.
/// Robust: a quarter of either list may hold anything. 0 when a list is empty.
/// Cost: O(n * m). Source: Hodges, Lehmann, "Estimates of Location Based on Rank Tests", Ann. Math.
/// Statist. 34 (1963).
[[nodiscard]] double middle_difference(std::span<const double> first,
                                       std::span<const double> second);

/// The middle of a list, of two the mean. 0 of an empty one. Cost: O(n).
[[nodiscard]] double middle_of(std::span<const double> values);

}  // namespace commmap
