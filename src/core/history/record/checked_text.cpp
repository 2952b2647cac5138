// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/checked_text.hpp"

#include "core/program/content_id.hpp"

namespace commmap {
namespace {

std::string beginning_of(const FileKind& kind) { return std::string(kind.name) + ' '; }

}  // namespace

std::string with_first_line(const FileKind& kind, std::string_view body) {
    std::string text = beginning_of(kind);
    ((text += kind.version) += ' ') += text_id(body);
    (text += '\n') += body;
    return text;
}

Result<std::string_view> body_of(const FileKind& kind, std::string_view content) {
    const std::string beginning = beginning_of(kind);
    const auto end = content.find('\n');
    if (!content.starts_with(beginning) || end == std::string_view::npos)
        return Error{Errc::corrupt, "the file is damaged"};
    const std::string_view line = content.substr(beginning.size(), end - beginning.size());
    const std::string_view body = content.substr(end + 1);
    const std::string_view version = line.substr(0, line.find(' '));
    if (version != kind.version)
        return Error{Errc::not_supported, "the file is of another version of commmap"};
    if (line.size() == version.size() || line.substr(version.size() + 1) != text_id(body))
        return Error{Errc::corrupt, "the file is damaged or half written"};
    return body;
}

}  // namespace commmap
