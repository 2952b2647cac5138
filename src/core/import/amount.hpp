#pragma once

#include <cstdint>
#include <string_view>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// A rank that a profile can have. Errors: invalid_input (no number), out_of_range; without a
/// place.
[[nodiscard]] Result<RankId> parse_rank(std::string_view word);
/// A number from 0 to 2^64 - 1, as a whole number, or as other programs print large ones ("12.0",
/// "1.5e9": rounded to the nearest). Errors: the same; not a number and infinity are none.
/// @param what  it is, for the error: "bytes"
[[nodiscard]] Result<std::uint64_t> parse_amount(std::string_view word, std::string_view what);

}  // namespace commmap
