// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// Reads a rank, below the most ranks of a profile.
/// Errors: invalid_input for text that is no number; out_of_range. The message has no place in the
/// file.
[[nodiscard]] Result<RankId> parse_rank(std::string_view word);
/// Reads a number from 0 to 2^64 - 1. It may be a whole number, or in the form in which other
/// programs print large ones ("12.0", "1.5e9"), which is rounded to the nearest.
/// @param what  names the number in errors: "bytes"
/// Errors: as parse_rank(); "nan" and "inf" are no numbers.
[[nodiscard]] Result<std::uint64_t> parse_amount(std::string_view word, std::string_view what);

}  // namespace commmap
