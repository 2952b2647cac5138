// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes a communication graph of a known kind: the same options, the same file.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "command.hpp"
#include "graphs/graph.hpp"
#include "graphs/graph_file.hpp"
#include "graphs/instance.hpp"
#include "graphs/random.hpp"

namespace commmap::bench {
namespace {

constexpr std::uint64_t max_weight = UINT32_MAX;  // sums of a kind stay below max_edge_weight

struct Options {
    std::string kind;
    InstanceOptions instance;
    bool renumber = false;
    std::string output;
};

/// What the kind draws must not be what the new numbers are drawn from.
std::uint64_t renumbering_seed(std::uint64_t seed) { return mix(~seed); }

std::string comment(const Options& options) {
    return "make_instance " + options.kind + " --ranks " + std::to_string(options.instance.ranks) +
           " --seed " + std::to_string(options.instance.seed) +
           (options.renumber ? " --renumber" : "") + " --weight " +
           std::to_string(options.instance.weight);
}

Graph make_graph(const Options& options) {
    std::vector<Edge> edges = find_instance_kind(options.kind).make(options.instance);
    if (options.renumber) {
        const auto number =
            random_permutation(options.instance.ranks, renumbering_seed(options.instance.seed));
        for (Edge& edge : edges) edge = {number[edge.from], number[edge.to], edge.weight};
    }
    return graph_from_edges(options.instance.ranks, edges);
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    using namespace commmap::bench;
    Options options;
    CLI::App app("Writes a communication graph in the METIS format", "make_instance");
    app.footer(instance_kinds_help());
    app.add_option("kind", options.kind, "one of those below")->required();
    app.add_option("--ranks", options.instance.ranks, "number of ranks")
        ->required()
        ->check(CLI::Range(1U, max_ranks));
    app.add_option("--seed", options.instance.seed, "of all that is random")->capture_default_str();
    app.add_flag("--renumber", options.renumber, "number the ranks at random, by the seed");
    app.add_option("--weight", options.instance.weight, "weight of a plain edge")
        ->check(CLI::Range(std::uint64_t{1}, max_weight))
        ->capture_default_str();
    app.add_option("-o", options.output, "file to write")->required();
    return run_command(app, argc, argv,
                       [&] { write_graph(options.output, make_graph(options), comment(options)); });
}
