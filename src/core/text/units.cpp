// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/units.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace commmap {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array bandwidth_units{
    Unit{"B/s", 1.0},         Unit{"kB/s", 1e3},           Unit{"MB/s", 1e6},
    Unit{"GB/s", 1e9},        Unit{"TB/s", 1e12},          Unit{"KiB/s", 1024.0},
    Unit{"MiB/s", 1048576.0}, Unit{"GiB/s", 1073741824.0}, Unit{"bit/s", 0.125},
    Unit{"kbit/s", 125.0},    Unit{"Mbit/s", 125e3},       Unit{"Gbit/s", 125e6},
    Unit{"Tbit/s", 125e9}};
constexpr std::array time_units{Unit{"ns", 1.0}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
constexpr std::array length_units{
    Unit{"B", 1.0},      Unit{"kB", 1e3},        Unit{"MB", 1e6},          Unit{"GB", 1e9},
    Unit{"KiB", 1024.0}, Unit{"MiB", 1048576.0}, Unit{"GiB", 1073741824.0}};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Reads a number with one of the units. The message lists the units, because people forget them.
Result<double> parse_quantity(std::string_view text, std::span<const Unit> units,
                              std::string_view what, std::string_view example) {
    const std::string_view input = trimmed(text);
    const auto refuse = [&](const std::string& why) {
        return Error{Errc::invalid_input,
                     fmt::format("{} '{}' {} (example: '{}')", what, input, why, example)};
    };
    double number = 0.0;
    const auto parsed = std::from_chars(input.data(), input.data() + input.size(), number);
    if (parsed.ec != std::errc{}) return refuse("is not a number with a unit");
    const std::string_view unit =
        trimmed(input.substr(static_cast<std::size_t>(parsed.ptr - input.data())));
    if (!std::isfinite(number)) return refuse("is not finite");
    if (number < 0.0) return refuse("is negative");
    for (const Unit& known : units) {
        if (unit == known.name) return number * known.factor;
    }
    std::string names;
    for (const Unit& known : units) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return refuse(unit.empty() ? "has no unit: " + names : "has an unknown unit, known: " + names);
}

std::string three_digits(double value, const char* unit) {
    const int decimals = value >= 100.0 ? 0 : value >= 10.0 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

Result<double> parse_bandwidth_bytes_per_s(std::string_view text) {
    auto value = parse_quantity(text, bandwidth_units, "bandwidth", "100 Mbit/s");
    if (value && value.value() == 0.0) {
        return Error{Errc::invalid_input,
                     fmt::format("bandwidth '{}' is zero: a link must carry something", text)};
    }
    return value;
}

Result<double> parse_time_ns(std::string_view text) {
    return parse_quantity(text, time_units, "time", "60 us");
}

Result<std::uint64_t> parse_length_bytes(std::string_view text) {
    const auto value = parse_quantity(text, length_units, "length", "64 KiB");
    if (!value) return value.error();
    if (value.value() > 9.2e18)
        return Error{Errc::out_of_range, fmt::format("length '{}' is above 2^63", text)};
    return static_cast<std::uint64_t>(value.value());
}

std::string format_bytes(double bytes) {
    if (bytes < 1e3) return three_digits(bytes, "B");
    if (bytes < 1e6) return three_digits(bytes / 1e3, "kB");
    if (bytes < 1e9) return three_digits(bytes / 1e6, "MB");
    return three_digits(bytes / 1e9, "GB");
}

std::string format_seconds(double seconds) {
    if (seconds < 1e-6) return three_digits(seconds * 1e9, "ns");
    if (seconds < 1e-3) return three_digits(seconds * 1e6, "us");
    if (seconds < 1.0) return three_digits(seconds * 1e3, "ms");
    return three_digits(seconds, "s");
}

}  // namespace commmap
