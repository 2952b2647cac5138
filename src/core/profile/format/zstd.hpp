#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace commmap {

/// What makes fewer bytes of many. Given to who writes a profile, so that the recorder, which is
/// loaded into programs, needs no library for it. Empty when it fails.
using Compress = std::string (*)(std::string_view bytes);

/// One zstd frame. Thread-safe.
[[nodiscard]] std::string compress_zstd(std::string_view bytes);
/// @return  false unless `frame` is one whole frame of exactly `size` bytes
[[nodiscard]] bool decompress_zstd(std::string_view frame, void* to, std::size_t size);

}  // namespace commmap
