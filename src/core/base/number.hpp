// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commmap {

/// Reads a decimal number from 0 to 2^64 - 1; nullopt unless the whole text is one.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace commmap
