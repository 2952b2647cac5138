#pragma once

#include <string>

namespace commmap::hooks {

/// A line of commmap's on stderr, in one piece.
void say(const std::string& message) noexcept;

}  // namespace commmap::hooks
