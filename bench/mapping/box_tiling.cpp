// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The best placement of a stencil by boxes, by closed formulas: what a mapper ought to reach.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "box_tiling_search.hpp"
#include "command.hpp"
#include "graphs/graph.hpp"
#include "graphs/stencil.hpp"
#include "input_error.hpp"
#include "mapping_file.hpp"
#include "stencil_spec.hpp"
#include "tree_spec.hpp"
#include "wide.hpp"

namespace commmap::bench {
namespace {

struct Options {
    std::string kind;
    std::uint32_t ranks = 0;
    std::uint64_t weight = 1;
    std::string sides;
    std::vector<std::string> steps;
    bool periodic = false;
    std::string tree;
    std::string distances;
    std::string output;
};

void tile(const Options& options) {
    const auto stencil = options.sides.empty()
                             ? make_stencil(options.kind, options.ranks, options.weight)
                             : read_stencil_spec(options.sides, options.steps, options.periodic);
    if (!stencil) throw InputError("no stencil or torus: '" + options.kind + "'");
    const TreeSpec tree = read_tree_spec(options.tree, options.distances);
    const auto tiling = best_box_tiling(*stencil, tree);
    if (!tiling) {
        std::printf("{\"hop_bytes\":null}\n");
        return;
    }
    if (!options.output.empty()) write_mapping(options.output, mapping_of(*tiling, *stencil, tree));
    std::printf("{\"hop_bytes\":%s,\"sides\":%s}\n", to_text(tiling->hop_bytes).c_str(),
                nlohmann::json(tiling->sides).dump().c_str());
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    using namespace commmap::bench;
    Options options;
    CLI::App app("Best placement by boxes of a stencil as make_instance numbers it, as JSON",
                 "box_tiling");
    app.footer(
        "Prints {\"hop_bytes\":null}, and writes no file, when sides and groups do not divide.");
    CLI::Option* const kind =
        app.add_option("kind", options.kind, "a stencil or torus of make_instance");
    app.add_option("--ranks", options.ranks, "number of ranks")
        ->needs(kind)
        ->check(CLI::Range(1U, max_ranks));
    CLI::Option* const sides =
        app.add_option("--sides", options.sides, "any grid instead: 32x16x8")->excludes(kind);
    app.add_option("--step", options.steps, "its neighbours and their weight: 1,0,0:64")
        ->needs(sides);
    app.add_flag("--periodic", options.periodic, "the grid wraps around")->needs(sides);
    app.add_option("--weight", options.weight, "weight of a plain edge")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{UINT32_MAX}))
        ->capture_default_str();
    app.add_option("--tree", options.tree, "groups from the lowest upwards: 8:2:8")->required();
    app.add_option("--distances", options.distances, "by height of the common group: 1:10:100")
        ->required();
    app.add_option("-o", options.output, "file for the mapping");
    return run_command(app, argc, argv, [&] { tile(options); });
}
