// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// Reads a bandwidth in bytes per second: "100 Mbit/s", "2 GB/s", "1.5 GiB/s".
/// Errors: invalid_input without a unit, or unless it is finite and > 0.
[[nodiscard]] Result<double> parse_bandwidth_bytes_per_s(std::string_view text);

/// Reads a time in nanoseconds: "60 us", "1.5 ms", "0 s".
/// Errors: invalid_input without a unit, or unless it is finite and >= 0.
[[nodiscard]] Result<double> parse_time_ns(std::string_view text);

/// Reads a length in bytes: "64 KiB", "1 MB", "16 B".
/// Errors: invalid_input without a unit, when negative, or above 2^63.
[[nodiscard]] Result<std::uint64_t> parse_length_bytes(std::string_view text);

/// Formats bytes: 1234567 -> "1.23 MB", with three significant digits and decimal prefixes.
[[nodiscard]] std::string format_bytes(double bytes);

/// Formats seconds: 0.0123 -> "12.3 ms".
[[nodiscard]] std::string format_seconds(double seconds);

}  // namespace commmap
