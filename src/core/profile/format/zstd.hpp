// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace commmap {

/// A function that compresses bytes; it returns an empty text when it fails. The writer of a
/// profile gets it as an argument, so that the recorder, which is loaded into programs, needs no
/// compression library.
using Compress = std::string (*)(std::string_view bytes);

/// Compresses bytes to one zstd frame. Thread-safe.
[[nodiscard]] std::string compress_zstd(std::string_view bytes);
/// Decompresses one zstd frame into `to`.
/// @return  false unless `frame` is one whole frame of exactly `size` bytes
[[nodiscard]] bool decompress_zstd(std::string_view frame, void* to, std::size_t size);

}  // namespace commmap
