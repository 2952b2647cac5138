#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// A file's kind and version, as its first line says them: "commmap-run 1 xxh128:<hash of the
/// rest>".
struct FileKind {
    std::string_view name;
    std::string_view version;
};

/// `body` behind that line.
[[nodiscard]] std::string with_first_line(const FileKind& kind, std::string_view body);

/// What is behind the line; a view of `content`. Errors: not_supported (that kind, of another
/// version), corrupt (anything else).
[[nodiscard]] Result<std::string_view> body_of(const FileKind& kind, std::string_view content);

}  // namespace commmap
