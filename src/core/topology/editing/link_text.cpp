// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/editing/link_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "core/text/units.hpp"

namespace commmap {
namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
}

/// YAML 1.1 has more words that are no text; PyYAML reads these as true or false.
bool is_word_of_yaml(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view word :
         {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}) {
        if (lower == word) return true;
    }
    return false;
}

}  // namespace

std::string length_text(std::uint64_t bytes) {
    constexpr std::uint64_t kib = 1024;
    if (bytes >= kib * kib && bytes % (kib * kib) == 0) {
        return fmt::format("{} MiB", bytes / (kib * kib));
    }
    if (bytes >= kib && bytes % kib == 0) return fmt::format("{} KiB", bytes / kib);
    return fmt::format("{} B", bytes);
}

std::string rate_text(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

std::string curve_text(const BandwidthCurve& curve) {
    const auto points = curve.points();
    if (points.size() == 1) return rate_text(points.front().bandwidth_bytes_per_s);
    std::string text;
    for (const BandwidthCurve::Point& point : points) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", length_text(point.length_bytes),
                            rate_text(point.bandwidth_bytes_per_s));
    }
    return "{" + text + "}";
}

std::string yaml_name(std::string_view name) {
    // A name that begins with a letter and has nothing but letters, digits, '_', '-', '.' and '/'
    // is text in every context.
    const bool letter =
        !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
    const bool plain =
        std::all_of(name.begin(), name.end(), [](char c) { return is_plain(c) || c == '-'; });
    if (letter && plain && !is_word_of_yaml(name)) return std::string(name);
    std::string text = "\"";
    for (const char c : name) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20 || code == 0x7F) {
            text += fmt::format("\\x{:02x}", code);
            continue;
        }
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

}  // namespace commmap
