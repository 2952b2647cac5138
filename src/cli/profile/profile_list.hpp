// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <ctime>
#include <optional>
#include <span>
#include <string>

#include "commmap/result.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// Returns a line for each program, number of ranks and tag: number of runs, age, size, and the
/// phases that send most.
/// @param each_run  a line for each run instead
/// @param tag       only profiles with this tag; "": profiles without a tag; no value: all
/// Cost: the index of each file is read.
[[nodiscard]] Result<std::string> profile_list(std::span<const ProfileStore> stores,
                                               std::time_t now, bool each_run = false,
                                               const std::optional<std::string>& tag = {});

}  // namespace commmap::cli
