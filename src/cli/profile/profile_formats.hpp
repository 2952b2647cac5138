// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// A format in which a profile is exported.
/// All formats but json hold only the messages between ranks, as recorded: collectives are not
/// expanded.
struct ProfileFormat {
    std::string_view name;
    std::string_view help;
    std::string (*write)(const Profile& profile);
};

[[nodiscard]] std::span<const ProfileFormat> profile_format_table();

}  // namespace commmap::cli
