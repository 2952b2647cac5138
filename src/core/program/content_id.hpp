// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// Returns the hash of a regular file's content: "xxh128:<hex>" (XXH3-128), read piece by piece.
/// Errors: not_found; invalid_input for another kind of file; io.
/// Cost: the whole file is read.
[[nodiscard]] Result<std::string> content_id(const std::string& path);

/// Returns the same hash of a text.
[[nodiscard]] std::string text_id(std::string_view text);

/// Formats the bytes of a GNU build id: "build-id:<hex>".
[[nodiscard]] std::string build_id_text(const unsigned char* bytes, std::size_t length);

}  // namespace commmap
