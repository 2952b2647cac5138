// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/config/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "core/text/suggest.hpp"

namespace commmap {
namespace {

/// @param what  what the message says of the value: "not a path", "neither 0 nor 1"
Error refuse(std::string_view value, std::string_view what) {
    return Error{Errc::invalid_input, fmt::format("'{}' is {}", value, what)};
}

template <std::string Options::*Field>
Status set_path(Options& options, std::string_view value) {
    if (value.empty() || value.find('\0') != std::string_view::npos)
        return refuse(value, "not a path");
    options.*Field = value;
    return Ok{};
}

template <std::uint64_t Options::*Field, std::uint64_t Low, std::uint64_t High>
Status set_number(Options& options, std::string_view value) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < Low ||
        number > High) {
        return refuse(value, fmt::format("not a whole number from {} to {}", Low, High));
    }
    options.*Field = number;
    return Ok{};
}

template <double Options::*Field>
Status set_percent(Options& options, std::string_view value) {
    double percent = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), percent);
    if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(percent) ||
        percent < 0.0 || percent > 100.0) {
        return refuse(value, "not a percentage from 0 to 100");
    }
    options.*Field = percent;
    return Ok{};
}

Status set_rank0(Options& options, std::string_view value) {
    if (value != "first" && value != "free") return refuse(value, "neither 'first' nor 'free'");
    options.rank0_free = value == "free";
    return Ok{};
}

Status set_mpi(Options& options, std::string_view value) {
    if (value == "auto")
        options.mpi = MpiKind::unknown;
    else if (value == "openmpi")
        options.mpi = MpiKind::open_mpi;
    else if (value == "mpich")
        options.mpi = MpiKind::mpich;
    else
        return refuse(value, "not 'auto', 'openmpi' or 'mpich'");
    return Ok{};
}

Status set_collectives(Options& options, std::string_view value) {
    const auto rules = collective_rules_named(value);
    if (!rules && value != "auto")
        return refuse(value, "not 'auto', 'openmpi4', 'openmpi5' or 'mpich4'");
    options.collectives = rules;
    return Ok{};
}

Status set_plan_cache(Options& options, std::string_view value) {
    if (value != "on" && value != "off") return refuse(value, "neither 'on' nor 'off'");
    options.plan_cache = value == "on";
    return Ok{};
}

/// Sets a field to the value that has this name.
/// @param other  what the message says of any other name: "neither 'step' nor 'mpi'"
template <class T, class NameOf>
Status set_named(T& field, std::initializer_list<T> values, NameOf&& name_of_value,
                 std::string_view name, std::string_view other) {
    for (const T value : values) {
        if (name != name_of_value(value)) continue;
        field = value;
        return Ok{};
    }
    return refuse(name, other);
}

template <bool Options::*Field>
Status set_flag(Options& options, std::string_view value) {
    if (value != "0" && value != "1") return refuse(value, "neither 0 nor 1");
    options.*Field = value == "1";
    return Ok{};
}

Status set_visibility(Options& options, std::string_view value) {
    return set_named(options.profile_visibility, {FileVisibility::user, FileVisibility::group},
                     visibility_name, value, "neither 'user' nor 'group'");
}

Status set_history(Options& options, std::string_view value) {
    return set_named(
        options.history_clock, {RunClock::step, RunClock::mpi},
        [](RunClock clock) { return name_of(clock); }, value, "neither 'step' nor 'mpi'");
}

Status set_site_mode(Options& options, std::string_view value) {
    return set_mode(options, value, scope_plugstack);
}

constexpr unsigned everywhere = scope_cli | scope_environment | scope_plugstack;
constexpr unsigned launch = scope_environment | scope_plugstack;

template <std::string Options::*Field>
std::string path_text(const Options& options) {
    return options.*Field;
}
/// @tparam leave_out_zero  gives "" for 0, which is the default
template <auto Options::*Field, bool leave_out_zero = false>
std::string number_text(const Options& options) {
    if (leave_out_zero && options.*Field == 0) return "";
    return fmt::format("{}", options.*Field);
}
std::string visibility_text(const Options& options) {
    if (options.profile_visibility == FileVisibility::user) return "";
    return std::string(visibility_name(options.profile_visibility));
}
std::string history_text(const Options& options) {
    if (options.history_clock == RunClock::step) return "";
    return std::string(name_of(options.history_clock));
}
std::string rank0_text(const Options& options) { return options.rank0_free ? "free" : "first"; }
std::string keep_text(const Options& options) {
    return std::string(layout_constraint_name(options.keep));
}
std::string inside_text(const Options& options) {
    return options.inside == Inside::none ? "" : std::string(name_of(options.inside));
}
std::string plan_cache_text(const Options& options) { return options.plan_cache ? "on" : "off"; }
std::string collectives_text(const Options& options) {
    return options.collectives ? std::string(name_of(options.collectives)) : "";
}

constexpr bool changes_plan = true;

constexpr std::array all_options{
    OptionSpec{
        "mode", "MODE", "off",
        "what srun does without --commmap: off, profile or auto, with ',verbose', ',keep=WHAT' or "
        "',inside=WHAT' if wanted",
        launch, set_site_mode},
    OptionSpec{"cluster", "FILE", "/etc/commmap/cluster.yaml",
               "cluster YAML: how the machine is wired", everywhere,
               set_path<&Options::cluster_file>, path_text<&Options::cluster_file>, changes_plan},
    OptionSpec{"profile-dir", "DIR", "$XDG_CACHE_HOME/commmap or ~/.cache/commmap",
               "where the user's profiles are kept", scope_cli | scope_environment,
               set_path<&Options::profile_dir>, path_text<&Options::profile_dir>},
    OptionSpec{"site-profiles", "DIR", "none",
               "where the site has published profiles for everybody; the user's own come first",
               everywhere, set_path<&Options::site_profiles>, path_text<&Options::site_profiles>},
    OptionSpec{"profile-readers", "user|group", "user",
               "who may read the profiles that are recorded", everywhere, set_visibility,
               visibility_text},
    OptionSpec{"tag", "NAME", "none",
               "keeps the profiles of one program apart, for instance by input",
               scope_cli | scope_environment, set_tag, path_text<&Options::tag>},
    OptionSpec{"threshold", "PERCENT", "5",
               "keep Slurm's placement unless the job is predicted to be faster by this much",
               everywhere, set_percent<&Options::threshold_percent>,
               number_text<&Options::threshold_percent>, changes_plan},
    OptionSpec{
        "explore", "PERCENT", "0",
        "percentage of launches with a plan that use Slurm's placement, by chance, to compare with",
        everywhere, set_percent<&Options::explore_percent>,
        number_text<&Options::explore_percent, true>},
    OptionSpec{"count-off", "0|1", "0",
               "1: runs with --commmap=off leave records too, to compare planned runs with", launch,
               set_flag<&Options::count_off>},
    OptionSpec{
        "history", "step|mpi", "step",
        "the clock by which runs are compared: the step's, as srun sees it, or rank 0's from "
        "MPI_Init to MPI_Finalize",
        everywhere, set_history, history_text},
    OptionSpec{"seed", "N", "1", "random seed; the same seed and input give the same placement",
               everywhere, set_number<&Options::seed, 0, UINT64_MAX>, number_text<&Options::seed>,
               changes_plan},
    OptionSpec{"rank0", "first|free", "first",
               "'first' keeps rank 0 on the job's first node, 'free' lets it move", everywhere,
               set_rank0, rank0_text, changes_plan},
    OptionSpec{"keep", "WHAT", "none",
               "part of Slurm's layout to keep: 'none', 'blocks' (all ranks of a node move "
               "together), 'order' (each rank stays on its node)",
               everywhere, set_keep, keep_text, changes_plan},
    OptionSpec{"inside", "WHAT", "none",
               "what runs otherwise inside placed tasks: 'none', or 'collectives' (calls by "
               "algorithms that were measured to be faster)",
               everywhere, set_inside, inside_text, changes_plan},
    OptionSpec{"inside-table", "FILE", "collectives.yaml beside the cluster YAML",
               "measured times of collective calls, by which their algorithms are chosen",
               everywhere, set_path<&Options::inside_table>, path_text<&Options::inside_table>,
               changes_plan},
    OptionSpec{"plan-cache", "on|off", "on", "keep plans beside the profiles and use them again",
               everywhere, set_plan_cache, plan_cache_text},
    OptionSpec{"plan-seconds", "S", "1, and 1 more for every 4096 tasks",
               "how long srun waits for a plan; then the best placement found so far is used",
               launch, set_number<&Options::plan_seconds, 1, 3600>},
    OptionSpec{"plan-memory", "MIB", "2048", "memory that planning may use", launch,
               set_number<&Options::plan_memory_mib, 64, 1048576>},
    OptionSpec{"plan-threads", "COUNT", "2", "threads that planning may use",
               scope_cli | scope_plugstack, set_number<&Options::plan_threads, 1, 1024>,
               number_text<&Options::plan_threads>},
    OptionSpec{"collectives", "RULES", "auto",
               "the MPI library by whose rules collectives become messages: 'openmpi4', "
               "'openmpi5', 'mpich4'; 'auto' looks at the profile",
               everywhere, set_collectives, collectives_text, changes_plan},
    OptionSpec{
        "mpi", "KIND", "auto",
        "the MPI library that is recorded: 'openmpi', 'mpich' (also Intel MPI, MVAPICH, Cray); "
        "'auto' looks at the program",
        launch, set_mpi},
    OptionSpec{"profile-ranks", "COUNT", "16384", "steps with more tasks are not recorded",
               scope_plugstack, set_number<&Options::profile_ranks, 1, UINT32_MAX>},
    OptionSpec{"program", "FILE", "the installed bin/commmap", "the program that plans",
               scope_plugstack, set_path<&Options::program>},
    OptionSpec{"hooks", "DIR", "the installed lib/commmap", "directory of the recorder's libraries",
               scope_plugstack, set_path<&Options::hooks>},
    OptionSpec{"disabled", "0|1", "0",
               "1 switches commmap off for everybody: --commmap and COMMMAP print a line and do "
               "nothing",
               scope_plugstack, set_flag<&Options::disabled>},
    OptionSpec{"verbose", "0|1", "0", "print the plan", scope_environment,
               set_flag<&Options::verbose>},
};

}  // namespace

std::span<const OptionSpec> option_table() { return all_options; }

std::vector<std::string> options_of_plan(const Options& options) {
    std::vector<std::string> texts;
    for (const OptionSpec& spec : all_options)
        if (spec.changes_plan)
            texts.push_back(fmt::format("{}={}", spec.name, spec.for_planner(options)));
    return texts;
}

std::vector<std::string> planner_arguments(const Options& options) {
    std::vector<std::string> arguments;
    for (const OptionSpec& spec : all_options) {
        if (spec.for_planner == nullptr) continue;
        std::string value = spec.for_planner(options);
        if (value.empty()) continue;
        arguments.push_back("--" + std::string(spec.name));
        arguments.push_back(std::move(value));
    }
    return arguments;
}

std::uint64_t seconds_to_plan(const Options& options, std::uint64_t num_ranks) {
    constexpr std::uint64_t ranks_of_a_second = 4096;
    return options.plan_seconds != 0 ? options.plan_seconds : 1 + num_ranks / ranks_of_a_second;
}

Status set_option(Options& options, unsigned scope, std::string_view name, std::string_view value) {
    std::vector<std::string_view> names;
    for (const OptionSpec& spec : all_options) {
        if ((spec.scopes & scope) == 0) continue;
        if (spec.name != name) {
            names.push_back(spec.name);
            continue;
        }
        const Status status = spec.set(options, value);
        if (!status) return prefixed(std::string(name), status.error());
        return Ok{};
    }
    return Error{Errc::invalid_input,
                 fmt::format("unknown option '{}'{}", name, did_you_mean(name, names))};
}

Status set_keep(Options& options, std::string_view value) {
    return set_named(options.keep,
                     {LayoutConstraint::none, LayoutConstraint::blocks, LayoutConstraint::order},
                     layout_constraint_name, value, "not 'none', 'blocks' or 'order'");
}

std::string_view layout_constraint_name(LayoutConstraint keep) {
    switch (keep) {
        case LayoutConstraint::none:
            return "none";
        case LayoutConstraint::blocks:
            return "blocks";
        case LayoutConstraint::order:
            return "order";
    }
    return "";
}

std::string_view name_of(Inside inside) {
    return inside == Inside::collectives ? "collectives" : "none";
}

Status set_inside(Options& options, std::string_view value) {
    return set_named(
        options.inside, {Inside::none, Inside::collectives},
        [](Inside inside) { return name_of(inside); }, value, "neither 'none' nor 'collectives'");
}

std::string inside_table_of(const Options& options) {
    if (!options.inside_table.empty()) return options.inside_table;
    const std::string& cluster = options.cluster_file;
    return cluster.substr(0, cluster.rfind('/') + 1) + "collectives.yaml";
}

Status set_tag(Options& options, std::string_view tag) {
    constexpr std::size_t most_letters = 32;
    const auto is_letter = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '-' || c == '_' || c == '.';
    };
    if (tag.empty() || tag.size() > most_letters || !std::all_of(tag.begin(), tag.end(), is_letter))
        return refuse(tag, fmt::format("not a tag: letters, digits, '-', '_' and '.', at most {}",
                                       most_letters));
    options.tag = tag;
    return Ok{};
}

std::string_view visibility_name(FileVisibility visibility) {
    switch (visibility) {
        case FileVisibility::user:
            return "user";
        case FileVisibility::group:
            return "group";
        case FileVisibility::everybody:
            return "everybody";
    }
    return "";
}

std::string environment_name(std::string_view option) {
    if (option == "mode") return "COMMMAP";
    std::string name = "COMMMAP_";
    for (const char c : option)
        name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

}  // namespace commmap
