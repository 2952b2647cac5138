#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace commmap {

// When planned placements have lost against Slurm's own.
//
// The rule. Runs are looked at again whenever (number of default runs) * (number of placed runs)
// has doubled, from 32 on, with three runs of each at least. Each look is a rank sum test of wall
// times, one-sided. The default comes back when the chance of so many pairs in which the placed run
// was the slower one is at most 0.0012, and the middle difference is at least 2 %.
//
// Why it holds. Looks 5 to 11 may spend 0.0012 each, every later one half of the one before: 0.0096
// together, for a history of any length. So the default comes back wrongly in fewer than 1 % of
// histories, whatever the noise looks like, where runs of both kinds come from one distribution.
// 100 runs have at most seven looks.
//
// What it cannot know: a machine that got slower, or larger inputs under the same tag, between the
// default runs and the placed ones.
//
// Sources: Mann, Whitney 1947 (rank_sum.hpp); Bonferroni's inequality over looks at sample sizes
// that double, after Pocock, "Group Sequential Methods in the Design and Analysis of Clinical
// Trials", Biometrika 64 (1977). Differs from Pocock: looks are not taken as correlated, which
// makes the bound hold for every distribution and costs some power.

/// Of each kind; with fewer there is nothing to compare with.
inline constexpr std::size_t least_runs_compared = 3;

/// Of a loss that is worth a reversal. Recording a default run costs about as much.
inline constexpr double least_loss = 0.02;

/// Which look so many runs are, 5 or more; 0: too few for any. Grows with both numbers.
[[nodiscard]] unsigned look_of(std::uint64_t num_default, std::uint64_t num_placed);

/// What a look may spend.
[[nodiscard]] double chance_allowed(unsigned look);

struct Loss {
    double slower_by = 0.0;  ///< relative: 0.1 is 10 % longer than the default
    double chance = 1.0;     ///< that equal placements look so bad
};
/// How much longer the placed runs took; negative: they were faster. Times are positive.
/// Cost: O(n * m), microseconds for 64 of each.
[[nodiscard]] Loss loss_of(std::span<const double> default_s, std::span<const double> placed_s);

/// What the rule says at that look; none: no loss beyond noise.
[[nodiscard]] std::optional<Loss> loss_beyond_noise(std::span<const double> default_s,
                                                    std::span<const double> placed_s,
                                                    unsigned look);

}  // namespace commmap
