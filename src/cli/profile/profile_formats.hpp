#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// A format that a profile is exported in. All but json have the messages between ranks alone, as
/// they were recorded: collectives are not expanded.
struct ProfileFormat {
    std::string_view name;
    std::string_view help;
    std::string (*write)(const Profile& profile);
};

[[nodiscard]] std::span<const ProfileFormat> profile_format_table();

}  // namespace commmap::cli
