// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// Returns the whole profile as one JSON object, with a line end. docs/formats/profile-format.md
/// has the keys.
[[nodiscard]] std::string profile_to_json(const Profile& profile);

}  // namespace commmap::cli
