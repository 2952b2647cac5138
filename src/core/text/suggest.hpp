// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace commmap {

/// Finds the candidate with the smallest edit distance to `word` (ties: the first). Empty when none
/// is near: more than half of the word's letters would change.
/// Cost: O(candidates * length^2).
[[nodiscard]] std::string nearest_name(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// Suggests the nearest candidate: "; did you mean 'x'?", or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace commmap
