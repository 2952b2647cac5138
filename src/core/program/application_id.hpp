// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace commmap {

// Names a program in a profile (docs/user/profile-store.md). The name has up to three parts: the
// executable's identity, the script's identity when the executable is an interpreter, and the
// user's tag. Examples: "build-id:8f3a", "build-id:8f3a.script-0a1b2c3d4e5f6071",
// "build-id:8f3a+large".

inline constexpr char tag_mark = '+';

[[nodiscard]] inline std::string_view without_tag(std::string_view application_id) {
    return application_id.substr(0, application_id.find(tag_mark));
}

/// Returns the tag of a name; empty: it has none.
[[nodiscard]] inline std::string tag_of(std::string_view application_id) {
    return std::string(application_id.substr(
        std::min(application_id.size(), without_tag(application_id).size() + 1)));
}

/// Adds a tag to a name without one.
/// @param tag  empty: none is added
[[nodiscard]] inline std::string with_tag(std::string_view application_id, std::string_view tag) {
    std::string id(application_id);
    if (!tag.empty()) (id += tag_mark) += tag;
    return id;
}

}  // namespace commmap
