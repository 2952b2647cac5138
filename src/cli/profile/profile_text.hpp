// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// Returns a summary of several lines for a person: how large the run was, where its time in MPI
/// goes, how it is divided, and its messages.
[[nodiscard]] std::string profile_summary(const Profile& profile);

}  // namespace commmap::cli
