// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace commmap::hooks {

/// Lets commmap-collect save the profile of all ranks, and waits for at most five seconds.
/// Called on rank 0 where no slurmstepd holds the recorded memory. commmap-collect lies beside this
/// library.
/// A separate program saves, for a file system may keep a process waiting for ever.
/// Says on stderr what became of the profile: always after a failure, else with COMMMAP_VERBOSE=1.
/// @param records  a frame for each rank (core/base/frames.hpp)
void save_aside(std::string_view records, int size) noexcept;

}  // namespace commmap::hooks
