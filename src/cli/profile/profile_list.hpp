#pragma once

#include <ctime>
#include <optional>
#include <span>
#include <string>

#include "commmap/result.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// A line for each program, number of ranks and tag: how many runs, how old, how large, where most
/// is sent. Cost: the index of each file is read.
/// @param each_run  a line for each run instead
/// @param tag       only profiles with it; "": without one; no value: all
[[nodiscard]] Result<std::string> profile_list(std::span<const ProfileStore> stores,
                                               std::time_t now, bool each_run = false,
                                               const std::optional<std::string>& tag = {});

}  // namespace commmap::cli
