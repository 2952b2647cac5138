// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace commmap {

// Decides when planned placements have lost against Slurm's default, so that the default comes
// back.
//
// The rule.
// - Runs are looked at whenever (number of default runs) * (number of placed runs) has doubled,
//   from 32 on, with at least three runs of each.
// - A look is a one-sided rank sum test of wall times. It counts the pairs in which the placed run
//   was the slower one.
// - The default comes back when two things hold: the chance of so many such pairs is at most
//   0.0012, and the middle difference is at least 2 %.
//
// Why it holds. Looks 5 to 11 may spend a chance of 0.0012 each, and every later one half of the
// one before: 0.0096 together, for a history of any length. So the default comes back wrongly in
// fewer than 1 % of histories, whatever the noise looks like, when runs of both kinds come from one
// distribution. 100 runs have at most seven looks.
//
// What it cannot know: between the default runs and the placed ones, the machine may have become
// slower, or the inputs under one tag larger.
//
// Sources: Mann, Whitney 1947 (rank_sum.hpp); Bonferroni's inequality over looks at sample sizes
// that double, after Pocock, "Group Sequential Methods in the Design and Analysis of Clinical
// Trials", Biometrika 64 (1977).
// Differs from Pocock: looks are not taken as correlated. So the bound holds for every
// distribution, at the cost of some power.

/// The fewest runs of each kind; with fewer nothing can be compared.
inline constexpr std::size_t least_runs_compared = 3;

/// The smallest relative loss that is worth a reversal. Recording costs a default run about as
/// much.
inline constexpr double least_loss = 0.02;

/// Returns the number of the look at so many runs, 5 or more; 0: too few runs for a look. Grows
/// with both numbers.
[[nodiscard]] unsigned look_of(std::uint64_t num_default, std::uint64_t num_placed);

/// Returns the chance that a look may spend.
[[nodiscard]] double chance_allowed(unsigned look);

struct Loss {
    double slower_by = 0.0;  ///< relative: 0.1 is 10 % longer than the default
    double chance = 1.0;     ///< chance that equal placements look so bad
};
/// Returns how much longer the placed runs took; negative: they were faster.
/// @pre times are positive
/// Cost: O(n * m), microseconds for 64 of each.
[[nodiscard]] Loss loss_of(std::span<const double> default_s, std::span<const double> placed_s);

/// Returns what the rule says at that look; nullopt: no loss beyond noise.
[[nodiscard]] std::optional<Loss> loss_beyond_noise(std::span<const double> default_s,
                                                    std::span<const double> placed_s,
                                                    unsigned look);

}  // namespace commmap
