// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "spank_commmap/process/process_state.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/relaunch/reexec.hpp"

namespace commmap::spank {

/// Facts that a srun knows about itself and its launch. SrunLaunch fills them in, hook by hook;
/// all other code only reads them.
struct LaunchFacts {
    // from init on, before srun writes its own variables into the environment
    std::optional<ProcessState> at_start;
    Result<SrunArgs> args = Error{Errc::io, "srun's command line was not read"};
    std::optional<Relaunch> relaunch;  ///< only in the second srun
    bool makes_job = false;            ///< there was no allocation at the start
    bool inside_step = false;          ///< a task of a step started this srun
    // from init_post_opt on
    Options options;                          ///< with those of --commmap
    std::optional<std::string> option_value;  ///< value of --commmap as it was given
    std::uint32_t cpus_per_task = 1;
    /// The user leaves order and CPUs to Slurm, or to commmap. Not set in mode auto.
    bool by_slurm = false;
    // from local_user_init on
    std::uint32_t job = 0;  ///< 0: there is no step yet
    std::uint32_t step = 0;
};

}  // namespace commmap::spank
