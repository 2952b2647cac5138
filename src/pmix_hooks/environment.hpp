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

}  // namespace commmap::hooks
