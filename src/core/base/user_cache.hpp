// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace commmap {

/// Returns the user's directory for caches: $XDG_CACHE_HOME, else .cache in the home directory.
/// nullopt when neither is an absolute path.
/// Source: XDG Base Directory Specification, which wants relative paths ignored.
[[nodiscard]] inline std::optional<std::string> user_cache(const std::string& xdg_cache_home,
                                                           const std::string& home) {
    if (xdg_cache_home.starts_with('/')) return xdg_cache_home;
    if (home.starts_with('/')) return home + "/.cache";
    return std::nullopt;
}

}  // namespace commmap
