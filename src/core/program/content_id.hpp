#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// "xxh128:<hex>", the XXH3-128 of a regular file's content, read piece by piece.
/// Errors: not_found, invalid_input (not a regular file), io. Cost: the whole file is read.
[[nodiscard]] Result<std::string> content_id(const std::string& path);

/// The same of a text.
[[nodiscard]] std::string text_id(std::string_view text);

/// "build-id:<hex>" of the bytes of a GNU build id.
[[nodiscard]] std::string build_id_text(const unsigned char* bytes, std::size_t length);

}  // namespace commmap
