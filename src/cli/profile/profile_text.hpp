#pragma once

#include <string>

#include "core/profile/profile.hpp"

namespace commmap::cli {

/// What a person reads at a glance: how large the run was, where its time in MPI goes, how it is
/// divided, what its messages are. Several lines.
[[nodiscard]] std::string profile_summary(const Profile& profile);

}  // namespace commmap::cli
