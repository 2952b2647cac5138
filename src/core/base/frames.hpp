// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace commmap {

// Frames: a series of texts, each behind its length (8 bytes in the machine's own byte order).

[[nodiscard]] inline std::array<char, sizeof(std::uint64_t)> frame_head(std::string_view text) {
    return std::bit_cast<std::array<char, sizeof(std::uint64_t)>>(std::uint64_t{text.size()});
}

inline void append_frame(std::string& frames, std::string_view text) {
    const auto head = frame_head(text);
    frames.append(head.data(), head.size());
    frames += text;
}

/// Takes the first text off a series.
/// @param text  output: a view of the first text
/// @return      false: there is none, or not all of it
[[nodiscard]] inline bool take_frame(std::string_view& frames, std::string_view& text) {
    std::uint64_t length = 0;
    if (frames.size() < sizeof length) return false;
    std::memcpy(&length, frames.data(), sizeof length);
    if (frames.size() - sizeof length < length) return false;
    text = frames.substr(sizeof length, static_cast<std::size_t>(length));
    frames.remove_prefix(sizeof length + text.size());
    return true;
}

}  // namespace commmap
