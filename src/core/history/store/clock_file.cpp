// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/clock_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <random>

#include "core/base/file.hpp"
#include "core/history/store/inbox.hpp"

namespace commmap {
namespace {

constexpr std::string_view suffix = ".clock";

}  // namespace

std::string new_clock_file(const std::string& profiles, std::uint32_t job, std::uint32_t step) {
    std::random_device random;
    return fmt::format("{}/new/{}.{}-{}{}", history_directory(profiles), job, step, random(),
                       suffix);
}

bool is_clock_file(std::string_view name) {
    return name.find(suffix) != std::string_view::npos;  // a half-written file's name goes on
}

std::optional<double> take_clock_file(const std::string& path, double step_s) {
    constexpr std::uint64_t most_bytes = 64;
    const std::string inbox = path.substr(0, path.rfind('/'));
    for (const std::string& directory : {inbox.substr(0, inbox.rfind('/')), inbox})
        if (!is_own_directory(directory)) return std::nullopt;
    const auto content = read_file(path, most_bytes);
    ::unlink(path.c_str());
    if (!content) return std::nullopt;
    const std::string& text = content.value();
    const char* const end = text.data() + text.size();
    double seconds = 0.0;
    const auto [rest, error] = std::from_chars(text.data(), end, seconds);
    const bool is_number = error == std::errc{} && std::string_view(rest, end) == "\n";
    if (!is_number || !std::isfinite(seconds) || seconds <= 0.0 || seconds > step_s)
        return std::nullopt;
    return seconds;
}

}  // namespace commmap
