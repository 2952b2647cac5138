#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace commmap {

/// Whole content of a regular file of at most `max_bytes`. A FIFO, device or directory is refused
/// without blocking (opened O_NONBLOCK, checked with fstat). Errors: not_found, invalid_input (not
/// a regular file, too large), io.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

/// Replaces `path` as one step: temporary file beside it (mode), fsync, rename, fsync of the
/// directory. A reader sees the old content or the new one, never a part; on error nothing stays
/// behind. Errors: io.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content,
                                           unsigned mode = 0600);

/// mkdir -p; directories made here get `mode`. Errors: io.
[[nodiscard]] Status make_directories(const std::string& path, unsigned mode = 0700);

}  // namespace commmap
