#pragma once

#include <array>
#include <cstdint>
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

/// Messages or bytes of all sizes.
[[nodiscard]] std::uint64_t sum_of_buckets(
    const std::array<std::uint64_t, num_size_buckets>& buckets);

[[nodiscard]] std::span<const ProfileFormat> profile_format_table();

}  // namespace commmap::cli
