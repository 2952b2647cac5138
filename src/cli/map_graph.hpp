#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace commmap::cli {

/// What `commmap map --graph` is told: a graph and a machine without profile, cluster and Slurm.
struct MapGraphArguments {
    std::optional<std::string> graph_file;  ///< none: not this way
    std::string tree;
    std::string distances;
    std::optional<std::string> available;  ///< none: all
    std::string objective = "hop-bytes";
    std::string preset = "default";
    double budget_s = 0.0;  ///< 0: none
    bool explain = false;
};

/// Adds --graph, --tree, --distances, --available, --objective, --preset, --budget and --explain;
/// all but the first are refused without it.
void add_map_graph_arguments(CLI::App& command, Context& context, MapGraphArguments& arguments);
/// To be called when the command has all its options: --graph goes with those above, --seed and
/// --output alone.
void exclude_from_map_graph(CLI::App& command);

/// Maps, and writes one PU number a line, in rank order, and one line of figures in JSON: to
/// standard output where the mapping goes to a file, else to standard error.
/// Errors: those of the readers and of map_ranks(). @pre graph_file
[[nodiscard]] Status map_graph(const MapGraphArguments& arguments, std::uint64_t seed,
                               const std::string& output);

}  // namespace commmap::cli
