// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/result.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/launch_facts.hpp"

namespace commmap::spank {

/// Makes a profile of the parts that the nodes kept of a recorded step, if they did, and says so.
/// Does nothing for a launch that was not to be recorded.
/// Cost: half a minute at most.
[[nodiscard]] Status collect_profile(const LaunchFacts& launch, LaunchActions& actions);

}  // namespace commmap::spank
