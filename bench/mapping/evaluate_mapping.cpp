// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Says what a mapping costs and whether it is one, apart from the code that makes mappings.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "graphs/graph_file.hpp"
#include "mapping_file.hpp"
#include "placement_cost.hpp"
#include "tree_spec.hpp"
#include "wide.hpp"

namespace commmap::bench {
namespace {

struct Options {
    std::string graph;
    std::string tree;
    std::string distances;
    std::string available;
    std::string mapping;
};

/// One line of JSON, put together by hand: its numbers may have more than 64 bits.
std::string json_line(const std::string& problem, const std::string& numbers) {
    using Json = nlohmann::json;
    return "{\"valid\":" + std::string(problem.empty() ? "true" : "false") +
           ",\"why\":" + Json(problem).dump(-1, ' ', false, Json::error_handler_t::replace) + "," +
           numbers + "}";
}

std::string cost_of(const Graph& graph, const TreeSpec& tree,
                    const std::vector<std::uint64_t>& pu_of_rank) {
    const Wide doubled = port_cost_doubled(graph, tree, pu_of_rank);
    return "\"hop_bytes\":" + to_text(hop_bytes(graph, tree, pu_of_rank)) +
           ",\"port_cost\":" + to_text(doubled / 2) + (doubled % 2 == 0 ? "" : ".5") +
           ",\"process_time\":" + to_text(process_time(graph, tree, pu_of_rank)) +
           ",\"used_groups\":" + nlohmann::json(used_groups(tree, pu_of_rank)).dump();
}

void evaluate(const Options& options) {
    const TreeSpec tree = read_tree_spec(options.tree, options.distances);
    const auto available = read_available(options.available, tree.num_pus());
    const Graph graph = read_graph(options.graph);
    MappingText mapping = read_mapping(options.mapping);
    if (mapping.problem.empty())
        mapping.problem = mapping_problem(graph.num_ranks(), mapping.pu_of_rank, available);
    const std::string numbers =
        mapping.problem.empty()
            ? cost_of(graph, tree, mapping.pu_of_rank)
            : R"("hop_bytes":null,"port_cost":null,"process_time":null,"used_groups":null)";
    std::printf("%s\n", json_line(mapping.problem, numbers).c_str());
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::Options options;
    CLI::App app("Cost of a mapping of ranks to the PUs of a tree, as one line of JSON",
                 "evaluate_mapping");
    app.add_option("graph", options.graph, "METIS file, weights on the edges")->required();
    app.add_option("--tree", options.tree, "groups from the lowest upwards: 8:2:8")->required();
    app.add_option("--distances", options.distances, "by height of the common group: 1:10:100")
        ->required();
    app.add_option("--available", options.available, "PUs that may be used: 0-63,70 [all]");
    app.add_option("mapping", options.mapping, "one PU a line, in the order of the ranks")
        ->required();
    return commmap::bench::run_command(app, argc, argv, [&] { commmap::bench::evaluate(options); });
}
