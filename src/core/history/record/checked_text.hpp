// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// The kind and version of a file, as its first line names them: "commmap-run 1 xxh128:<hash of the
/// rest>".
struct FileKind {
    std::string_view name;
    std::string_view version;
};

/// Puts that first line in front of `body`.
[[nodiscard]] std::string with_first_line(const FileKind& kind, std::string_view body);

/// Checks the first line and returns the rest, as a view of `content`.
/// Errors: not_supported for this kind in another version; corrupt for anything else.
[[nodiscard]] Result<std::string_view> body_of(const FileKind& kind, std::string_view content);

}  // namespace commmap
