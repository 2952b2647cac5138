// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/standalone_choice.hpp"

#include <chrono>

#include "core/config/sources.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/srun/known_profiles.hpp"
#include "spank_commmap/srun/process/aside.hpp"

namespace commmap::spank {
namespace {

/// Variable that srun does not change when it is set already; it is another job's then.
constexpr const char* job_cpus_variable = "SLURM_JOB_CPUS_PER_NODE";

}  // namespace

Refusal StandaloneChoice::refusal(const SrunArgs& args, const Options& options) {
    Refusal by_choice = reason_to_leave(args, own_variable, Where::standalone);
    if (!by_choice.reason.empty() && !by_choice.order_only) return by_choice;
    if (own_variable(job_cpus_variable))
        return {std::string(job_cpus_variable) + " is there without a job"};
    const auto directory = profile_directory(options);
    if (!directory) return {directory.error().message};
    // Only the planner looks into the site's directory, and srun asks before whether it answers.
    if (!options.site_profiles.empty()) return by_choice;
    if (!look_ || look_->directory != directory.value())
        look_ = {directory.value(),
                 ask_aside(longest_for_directory, [&] { return has_profiles(directory.value()); })};
    const std::optional<bool>& found = look_->has_profiles;
    if (!found) return {"'" + directory.value() + "' did not answer in time"};
    if (*found) return by_choice;
    return {"no profile in '" + directory.value() + "' (--commmap=profile records one)"};
}

}  // namespace commmap::spank
