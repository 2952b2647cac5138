// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/profile_collection.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>

#include "core/config/sources.hpp"
#include "core/profile/store/unfinished_path.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/srun/known_profiles.hpp"
#include "spank_commmap/srun/process/aside.hpp"
#include "spank_commmap/srun/process/working_directory.hpp"

namespace commmap::spank {
namespace {

constexpr std::uint64_t collect_seconds = 30;
constexpr std::uint64_t collect_memory_mib = 512;  // for a login node that others use too

/// Returns whether `commmap profile collect` has anything to look at. With verbose this may be a
/// whole profile, which the program then reports.
bool has_parts(const LaunchFacts& launch, LaunchActions& actions, const std::string& profiles) {
    const std::string parts = unfinished_path(profiles, launch.job, launch.step);
    const auto left =
        ask_aside(longest_for_directory, [&] { return ::access(parts.c_str(), F_OK) == 0; });
    if (!left) {
        actions.print_line("no profile of this run yet: '" + profiles + "' did not answer in time");
        return false;
    }
    if (*left) return true;
    if (!launch.options.verbose) return false;
    const auto saved = ask_aside(longest_for_directory, [&] {
        return has_profile_of_step(profiles, launch.job, launch.step);
    });
    if (saved && !*saved) {
        actions.print_line("no profile of this run in '" + profiles +
                           "': unless a line above says why, no rank came to an MPI_Init that the "
                           "recorder saw, or the tasks have another directory for profiles");
    }
    return saved.value_or(false);
}

}  // namespace

Status collect_profile(const LaunchFacts& launch, LaunchActions& actions) {
    if (launch.options.mode != Mode::profile || launch.job == 0) return Ok{};
    const auto directory = profile_directory(launch.options);
    if (!directory) return Ok{};
    const std::string profiles = absolute_path(directory.value());
    if (!has_parts(launch, actions, profiles)) return Ok{};
    const std::string step = std::to_string(launch.job) + "." + std::to_string(launch.step);
    const ProgramResult done =
        actions.run({program_of(launch.options), "profile", "collect", "--profile-dir", profiles,
                     "--profile-readers",
                     std::string(visibility_name(launch.options.profile_visibility)), step},
                    {.seconds = collect_seconds, .memory_mib = collect_memory_mib}, {});
    if (done.end != ProgramResult::End::answered) {
        const std::string why = done.reason.empty() ? "interrupted" : done.reason;
        actions.print_line("no profile of this run: " + why + "; try 'commmap profile collect " +
                           step + "'");
        return Ok{};
    }
    // A complete profile is what the user expects, so only verbose tells.
    const bool partial = done.output.starts_with("partial");
    if (!done.output.empty() && (partial || launch.options.verbose))
        actions.print_line(done.output.substr(0, done.output.find('\n')));
    return Ok{};
}

}  // namespace commmap::spank
