#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap::cli {

/// What `commmap map --graph` is told: a graph and a machine without profile, cluster and Slurm.
struct MapGraphArguments {
    std::optional<std::string> graph_file;  ///< none: not this way
    std::string tree;
    std::string distances;
    std::optional<std::string> available;  ///< none: all
    std::optional<std::string> objective;  ///< none: hop-bytes
    std::string preset = "default";
    unsigned threads = 1;
    std::optional<double> budget_s;    ///< none: default_budget_s()
    std::vector<std::string> without;  ///< of the engine's parts
    bool explain = false;
    std::optional<std::string> svg_file;  ///< none: no picture
};

/// Adds --graph and the options that are refused without it, and --objective.
void add_map_graph_arguments(CLI::App& command, Context& context, MapGraphArguments& arguments);
/// @pre one of the words of --objective
[[nodiscard]] Objective objective_named(const std::string& word);
/// To be called when the command has all its options: --graph goes with those above, --seed and
/// --output alone.
void exclude_from_map_graph(CLI::App& command);

/// Maps, and writes one PU number a line, in rank order, and one line of figures in JSON: to
/// standard output where the mapping goes to a file, else to standard error. A TERM or INT while it
/// maps ends the search, and the best placement so far is written. The picture comes after the
/// placement and before the figures. Errors: those of the readers, of map_ranks() and of
/// write_output(). @pre graph_file
[[nodiscard]] Status map_graph(const MapGraphArguments& arguments, std::uint64_t seed,
                               const std::string& output);

}  // namespace commmap::cli
