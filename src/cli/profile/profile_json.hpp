#pragma once

#include <string>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// The whole profile as one JSON object (docs/formats/profile-format.md has the keys), with a line
/// end.
[[nodiscard]] std::string profile_to_json(const Profile& profile);

}  // namespace commmap::cli
