#pragma once

#include <span>
#include <string>
#include <string_view>

namespace commmap {

/// The candidate with the smallest edit distance to `word` (ties: the first), or empty when none is
/// near (> half of the word's letters wrong). Cost: O(candidates * length^2).
[[nodiscard]] std::string nearest_name(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" or empty.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace commmap
