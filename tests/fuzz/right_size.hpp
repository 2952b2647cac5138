// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace commmap::fuzz {

/// A size-prefixed buffer with its size put right, or every change of an input's length would end
/// at the verifier's first look.
inline std::string with_right_size(std::string_view buffer) {
    std::string bytes(buffer);
    const auto rest = static_cast<std::uint32_t>(bytes.size() - sizeof(std::uint32_t));
    if (bytes.size() >= sizeof rest) std::memcpy(bytes.data(), &rest, sizeof rest);
    return bytes;
}

}  // namespace commmap::fuzz
