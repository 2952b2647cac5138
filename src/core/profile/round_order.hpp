// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commmap {

/// Compresses a list of rounds, for programs that run in loops. The text is a series of pieces.
/// Each begins with a length n (1 to 255) and a distance d (0 to 255). With d = 0, n signatures
/// follow as they are. Else the next n signatures are those d places before, one after the other.
/// Cost: O(order.size() * 255).
[[nodiscard]] std::string encode_order(const std::vector<std::uint8_t>& order);
/// Reads what encode_order() wrote; nullopt when the text is damaged or has more than `most`
/// rounds.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> decode_order(std::string_view text,
                                                                    std::size_t most);

}  // namespace commmap
