// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap::cli {

/// Arguments of `commmap map --graph`: a graph and a machine, without profile, cluster and Slurm.
struct MapGraphArguments {
    std::optional<std::string> graph_file;  ///< none: the command maps no graph
    std::string tree;
    std::string distances;
    std::optional<std::string> available;  ///< none: all PUs
    std::optional<std::string> objective;  ///< none: hop-bytes
    std::string preset = "default";
    unsigned threads = 1;
    std::optional<double> budget_s;    ///< none: default_budget_s()
    std::vector<std::string> without;  ///< parts that the engine must not use
    bool explain = false;
    std::optional<std::string> svg_file;  ///< none: no picture
};

/// Adds --graph and the options that need it, and --objective.
void add_map_graph_arguments(CLI::App& command, Context& context, MapGraphArguments& arguments);
/// Returns the objective that a word names.
/// @pre one of the words of --objective
[[nodiscard]] Objective objective_named(const std::string& word);
/// Excludes --graph beside all other options but those above, --seed and --output. Must be called
/// when the command has all its options.
void exclude_from_map_graph(CLI::App& command);

/// Maps the graph, and writes one PU number a line, in rank order. Then writes one line of figures
/// in JSON.
/// The figures go to standard output if the mapping goes to a file, else to standard error. The
/// picture is written between placement and figures.
/// A TERM or INT ends the search, and the best placement so far is written.
/// Errors: those of the readers, of map_ranks() and of write_output().
/// @pre graph_file
[[nodiscard]] Status map_graph(const MapGraphArguments& arguments, std::uint64_t seed,
                               const std::string& output);

}  // namespace commmap::cli
