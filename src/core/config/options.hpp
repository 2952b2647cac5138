// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/collective_rules.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/mpi_kind.hpp"
#include "core/base/run_clock.hpp"

namespace commmap {

/// The mode of a launch.
enum class Mode : unsigned char { off, profile, automatic };

/// The part of Slurm's layout that a plan keeps: nothing; whole blocks of ranks, each on one node;
/// or the node of every rank.
enum class LayoutConstraint : unsigned char { none, blocks, order };
[[nodiscard]] std::string_view layout_constraint_name(LayoutConstraint keep);

/// What runs otherwise than without commmap inside the tasks of a placed launch: nothing, or
/// collective calls by algorithms that were measured to be faster.
enum class Inside : unsigned char { none, collectives };
[[nodiscard]] std::string_view name_of(Inside inside);

/// All settings with their defaults. Sources, from the weakest to the strongest: default, plugstack
/// arguments, environment, command line.
struct Options {
    Mode mode = Mode::off;
    bool verbose = false;
    bool help = false;     ///< print the values of --commmap and end
    bool dry_run = false;  ///< plan and print, but launch nothing; implies verbose
    std::string report;    ///< file for the launch's report; empty: none
    std::string cluster_file = "/etc/commmap/cluster.yaml";
    /// times of collectives; empty: collectives.yaml beside cluster_file
    std::string inside_table;
    std::string profile_dir;  ///< empty: profile_directory() decides
    /// directory of the profiles that the site has published; empty: none
    std::string site_profiles;
    std::string tag;  ///< keeps a user's profiles of one program apart; empty: none
    FileVisibility profile_visibility = FileVisibility::user;  ///< who may read recorded profiles
    double threshold_percent = 5.0;
    /// share of launches with a plan that still run Slurm's own placement, to compare with
    double explore_percent = 0.0;
    bool count_off = false;  ///< runs with --commmap=off count as default runs to compare with
    RunClock history_clock = RunClock::step;  ///< the clock by which runs are compared
    std::uint64_t seed = 1;
    bool rank0_free = false;
    LayoutConstraint keep = LayoutConstraint::none;
    Inside inside = Inside::none;
    std::optional<CollectiveRules> collectives;  ///< empty: those of the profile's MPI library
    /// MPI library for which the recorder is chosen; unknown: found from the program
    MpiKind mpi = MpiKind::unknown;
    bool plan_cache = true;
    std::uint64_t profile_ranks = 16384;  ///< a step with more tasks is not recorded
    std::uint64_t plan_seconds = 0;       ///< time limit of a plan; 0: seconds_to_plan() decides
    std::uint64_t plan_memory_mib = 2048;
    /// threads of the planner; for the admin to set, because srun runs on login nodes
    std::uint64_t plan_threads = 2;
    /// the `commmap` program that plans; empty: the one installed with the plugin
    std::string program;
    /// directory of the hook libraries; empty: the one installed with the plugin
    std::string hooks;
    /// the admin's switch: --commmap and COMMMAP are accepted and do nothing
    bool disabled = false;
};

/// Returns the time in seconds that a launch waits for the plan of so many ranks:
/// options.plan_seconds, else one second plus one for every 4096 ranks.
[[nodiscard]] std::uint64_t seconds_to_plan(const Options& options, std::uint64_t num_ranks);

/// Sources that may set an option; a bit for each.
enum Scope : unsigned { scope_cli = 1, scope_environment = 2, scope_plugstack = 4 };

/// Writes an option's value as text; an empty text leaves the option out.
using ValueText = std::string(const Options& options);

/// One option of commmap. The command line (--name), the environment (COMMMAP_NAME, dashes as
/// underscores) and plugstack.conf (name=value) all read this row. So do --help, the man pages, the
/// planner's arguments, and the question that a kept plan answers.
struct OptionSpec {
    std::string_view name;
    std::string_view value;  ///< placeholder of the value in help texts: "FILE", "PERCENT"
    std::string_view default_text;
    std::string_view help;
    unsigned scopes;
    Status (*set)(Options& options, std::string_view value);
    /// the value that the plugin passes to `commmap plan`; nullptr: it passes none
    ValueText* for_planner = nullptr;
    bool changes_plan = false;  ///< a kept plan is used again only with the same value
};

[[nodiscard]] std::span<const OptionSpec> option_table();

/// Returns the options on which a plan depends, "seed=1" each: a part of the question that a kept
/// plan answers.
[[nodiscard]] std::vector<std::string> options_of_plan(const Options& options);

/// Returns the arguments that the plugin passes to `commmap plan`: "--seed", "1" and so on.
[[nodiscard]] std::vector<std::string> planner_arguments(const Options& options);

/// Sets one option by its name.
/// Errors: invalid_input
/// - for an unknown name (the message suggests the nearest known one);
/// - for a wrong value (the message names the value and the allowed values).
[[nodiscard]] Status set_option(Options& options, unsigned scope, std::string_view name,
                                std::string_view value);

/// Sets `keep` by its name. On error nothing changes.
[[nodiscard]] Status set_keep(Options& options, std::string_view name);

/// Sets `inside` by its name. On error nothing changes.
[[nodiscard]] Status set_inside(Options& options, std::string_view name);

/// Returns the path of the file with times of collectives.
[[nodiscard]] std::string inside_table_of(const Options& options);

/// Sets the tag: letters, digits, '-', '_' and '.', at most 32. On error nothing changes.
[[nodiscard]] Status set_tag(Options& options, std::string_view tag);

/// Returns the name as users write it: "user", "group".
[[nodiscard]] std::string_view visibility_name(FileVisibility visibility);

/// Sets the mode from the value of --commmap or COMMMAP: a mode and words of mode.hpp,
/// "auto,verbose,report=FILE".
/// dry_run and report come from this value alone, whatever was set before. On error nothing
/// changes.
/// Errors: invalid_input; the message suggests the nearest word that `scope` may set.
[[nodiscard]] Status set_mode(Options& options, std::string_view value, unsigned scope = scope_cli);

/// Returns the environment variable of an option: "COMMMAP_PROFILE_DIR" for "profile-dir";
/// "COMMMAP" for "mode".
[[nodiscard]] std::string environment_name(std::string_view option);

}  // namespace commmap
