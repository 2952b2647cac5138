// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace commmap::hooks {

[[nodiscard]] inline bool is_set_to(const char* variable, std::string_view value) noexcept {
    const char* text = std::getenv(variable);
    return text != nullptr && value == text;
}

/// Returns the value of an environment variable; "" when the variable is not set.
[[nodiscard]] inline std::string environment(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? "" : text;
}

/// Takes commmap's own libraries out of LD_PRELOAD, so that processes that this process starts do
/// not load them.
/// LD_PRELOAD is changed in place, for other threads may be reading the environment.
void leave_preload() noexcept;

}  // namespace commmap::hooks
