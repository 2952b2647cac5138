// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/zstd.hpp"

#include <zstd.h>

namespace commmap {

std::string compress_zstd(std::string_view bytes) {
    // Level 3 is zstd's own default. For a stencil on 2^20 ranks, level 1 makes the file twice as
    // large, and level 6 takes four times as long.
    constexpr int level = 3;
    std::string frame(::ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size =
        ::ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
    frame.resize(::ZSTD_isError(size) != 0 ? 0 : size);
    return frame;
}

bool decompress_zstd(std::string_view frame, void* to, std::size_t size) {
    return ::ZSTD_decompress(to, size, frame.data(), frame.size()) == size;
}

}  // namespace commmap
