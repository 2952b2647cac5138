// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace commmap::bench {

/// Sums of weight * distance: weights up to 2^63, distances below 2^32 and fewer than 2^32 edges
/// leave them below 2^127, so they are exact.
__extension__ using Wide = unsigned __int128;

[[nodiscard]] inline std::string to_text(Wide number) {
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(number % 10));
        number /= 10;
    } while (number != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

}  // namespace commmap::bench
