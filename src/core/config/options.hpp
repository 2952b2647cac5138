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

/// What a launch is asked to do.
enum class Mode : unsigned char { off, profile, automatic };

/// What of Slurm's layout a plan keeps: nothing; whole blocks of ranks, each on one node; the node
/// of every rank.
enum class LayoutConstraint : unsigned char { none, blocks, order };
[[nodiscard]] std::string_view layout_constraint_name(LayoutConstraint keep);

/// Everything that can be set, with its default. Later sources win: default, plugstack arguments,
/// environment, command line.
struct Options {
    Mode mode = Mode::off;
    bool verbose = false;
    bool help = false;     ///< print what --commmap takes, and end
    bool dry_run = false;  ///< plan and print, launch nothing; verbose too
    std::string report;    ///< file for the launch's report; empty: none
    std::string cluster_file = "/etc/commmap/cluster.yaml";
    std::string profile_dir;    ///< empty: profile_directory() says where
    std::string site_profiles;  ///< directory of what the site has published; empty: none
    std::string tag;            ///< keeps a user's profiles of one program apart; empty: none
    FileVisibility profile_visibility = FileVisibility::user;  ///< of what is recorded
    double threshold_percent = 5.0;
    double explore_percent = 0.0;  ///< of launches with a plan that run Slurm's own placement
    bool count_off = false;        ///< runs with --commmap=off are compared with planned ones
    RunClock history_clock = RunClock::step;  ///< by which runs are compared
    std::uint64_t seed = 1;
    bool rank0_free = false;
    LayoutConstraint keep = LayoutConstraint::none;
    std::optional<CollectiveRules> collectives;  ///< empty: those of the profile's MPI library
    MpiKind mpi = MpiKind::unknown;  ///< of the recorder; unknown: found from the program
    bool plan_cache = true;
    std::uint64_t profile_ranks = 16384;  ///< the most tasks of a step that is recorded
    std::uint64_t plan_seconds = 0;       ///< 0: seconds_to_plan() says how long
    std::uint64_t plan_memory_mib = 2048;
    std::uint64_t plan_threads = 2;  ///< the admin's: srun runs on login nodes
    std::string
        program;  ///< the `commmap` program that plans; empty: the one installed with the plugin
    std::string
        hooks;  ///< directory of the hook libraries; empty: the one installed with the plugin
    bool disabled = false;  ///< the admin's switch: --commmap and COMMMAP are known and do nothing
};

/// How long a launch waits for the plan of so many ranks: options.plan_seconds, else one second and
/// another for every 4096 ranks.
[[nodiscard]] std::uint64_t seconds_to_plan(const Options& options, std::uint64_t num_ranks);

/// Who may set an option.
enum Scope : unsigned { scope_cli = 1, scope_environment = 2, scope_plugstack = 4 };

/// An option's value as text; "" leaves the option out.
using ValueText = std::string(const Options& options);

/// One option: the command line (--name), the environment (COMMMAP_NAME, dashes as underscores) and
/// plugstack.conf (name=value) are all read from this row, and so are --help, the man pages, the
/// planner's arguments and the question that a kept plan answers.
struct OptionSpec {
    std::string_view name;
    std::string_view value;  ///< what stands for the value in help: "FILE", "PERCENT"
    std::string_view default_text;
    std::string_view help;
    unsigned scopes;
    Status (*set)(Options& options, std::string_view value);
    ValueText* for_planner = nullptr;  ///< what the plugin gives `commmap plan`; null: nothing
    bool changes_plan = false;         ///< a kept plan answers a question with the same value only
};

[[nodiscard]] std::span<const OptionSpec> option_table();

/// "seed=1" of each option that a plan depends on: a part of the question that a kept plan answers.
[[nodiscard]] std::vector<std::string> options_of_plan(const Options& options);

/// "--seed", "1" of each option that the plugin gives `commmap plan`.
[[nodiscard]] std::vector<std::string> planner_arguments(const Options& options);

/// Sets one option by name. invalid_input for an unknown name (names the nearest known one) or a
/// value that makes no sense (names the value and what is allowed).
[[nodiscard]] Status set_option(Options& options, unsigned scope, std::string_view name,
                                std::string_view value);

/// By its name; on error nothing is changed.
[[nodiscard]] Status set_keep(Options& options, std::string_view name);

/// Letters, digits, '-', '_' and '.', at most 32. On error nothing is changed.
[[nodiscard]] Status set_tag(Options& options, std::string_view tag);

/// As it is written: "user", "group".
[[nodiscard]] std::string_view visibility_name(FileVisibility visibility);

/// Value of --commmap and COMMMAP: a mode and words of mode.hpp, "auto,verbose,report=FILE". On
/// error nothing is changed. dry_run and report are as this value says, whatever came before it.
/// invalid_input names the nearest known word of those that `scope` may say.
[[nodiscard]] Status set_mode(Options& options, std::string_view value, unsigned scope = scope_cli);

/// "COMMMAP_PROFILE_DIR" for "profile-dir"; "COMMMAP" for "mode".
[[nodiscard]] std::string environment_name(std::string_view option);

}  // namespace commmap
