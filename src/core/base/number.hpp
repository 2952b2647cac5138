#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commmap {

/// A decimal number that takes the whole of `text`.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace commmap
