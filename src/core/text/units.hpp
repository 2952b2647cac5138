#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// "100 Mbit/s", "2 GB/s", "1.5 GiB/s" -> bytes per second. invalid_input without a unit, or not
/// finite and > 0.
[[nodiscard]] Result<double> parse_bandwidth_bytes_per_s(std::string_view text);

/// "60 us", "1.5 ms", "0 s" -> nanoseconds. invalid_input without a unit, or not finite and >= 0.
[[nodiscard]] Result<double> parse_time_ns(std::string_view text);

/// "64 KiB", "1 MB", "16 B" -> bytes. invalid_input without a unit, negative, or above 2^63.
[[nodiscard]] Result<std::uint64_t> parse_length_bytes(std::string_view text);

/// 1234567 -> "1.23 MB"; three significant digits, decimal prefixes.
[[nodiscard]] std::string format_bytes(double bytes);

/// 0.0123 -> "12.3 ms".
[[nodiscard]] std::string format_seconds(double seconds);

}  // namespace commmap
