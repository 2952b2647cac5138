// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/sources.hpp"
#include "spank_commmap/slurm/slurm_rules.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

/// Source of a launch's nodes.
enum class Where : std::uint8_t {
    allocation,  ///< a job that exists already: its layout has to be worked out before the step
    standalone,  ///< srun makes the job itself: Slurm tells the layout that it made
};

struct Refusal {
    std::string reason;  ///< a few words; empty: nothing speaks against it
    /// Only the order is left alone. CPUs may be bound once Slurm has laid the step out.
    bool order_only = false;
};

/// Returns why this launch is left alone. Looks at every option, and at every variable that srun
/// reads as one; their order does not matter.
[[nodiscard]] Refusal reason_to_leave(const SrunArgs& args, const Environment& environment,
                                      Where where);

/// Returns why Slurm binds CPUs as without commmap although the order is planned; empty: commmap
/// binds.
[[nodiscard]] std::string reason_not_to_bind(const SrunArgs& args, const Environment& environment);

/// Returns --cpus-per-task, else its variable; 1 when neither is set, nullopt when the text is no
/// number.
[[nodiscard]] std::optional<std::uint32_t> cpus_per_task(const SrunArgs& args,
                                                         const Environment& environment,
                                                         const SlurmRules& rules);

}  // namespace commmap::spank
