#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace commmap::hooks {

[[nodiscard]] inline bool is_set_to(const char* variable, std::string_view value) noexcept {
    const char* text = std::getenv(variable);
    return text != nullptr && value == text;
}

/// "" when it is not set.
[[nodiscard]] inline std::string environment(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? "" : text;
}

/// What this process starts itself is not to load what commmap preloads: takes these libraries out
/// of LD_PRELOAD, in place, for other threads may be reading the environment.
void leave_preload() noexcept;

}  // namespace commmap::hooks
