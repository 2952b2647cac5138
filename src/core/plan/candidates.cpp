#include "core/plan/candidates.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/mapping/block_mapping.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/node_binding.hpp"
#include "core/plan/layout.hpp"

namespace commmap {
namespace {

void note_failure(const MapperInfo& mapper, const Error& error, std::vector<std::string>& notes) {
    notes.push_back("mapper " + std::string(mapper.name) + " failed: " + error.message);
}

/// A mapper and its refined form fail alike.
void add_new(const std::vector<std::string>& more, std::vector<std::string>& notes) {
    for (const std::string& note : more) {
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
}

NamedPlacement bound(const Scenario& scenario, const PlannerOptions& options,
                     const std::vector<PuId>& start) {
    return {"bound", bind_in_nodes(scenario.graph, scenario.hct, start, {.seed = options.seed})};
}

Result<std::vector<NamedPlacement>> of_blocks(const Scenario& scenario,
                                              const PlannerOptions& options,
                                              std::vector<std::string>& notes) {
    std::vector<NodeId> node_of_rank;
    for (const PuId pu : scenario.default_placement)
        node_of_rank.push_back(scenario.hct.pu(pu).node);
    auto blocks = blocks_of(node_of_rank, scenario.hct);
    if (!blocks) return blocks.error();
    const BlockMapping mapping(scenario.graph, scenario.hct, std::move(blocks).value(),
                               rank0_node(scenario, options.rank0_free));
    std::vector<NamedPlacement> candidates;
    const auto add = [&](std::string name, const BlockMapping::Nodes& nodes) {
        candidates.push_back({std::move(name), placement_on_nodes(scenario.hct, scenario.slots,
                                                                  mapping.node_of_rank(nodes))});
    };
    BlockMapping::Nodes cheapest = mapping.start();
    SearchObjective least = mapping.cost(cheapest);
    for (const MapperInfo& mapper : mapper_table()) {
        if (options.deadline.passed()) break;
        if (mapping.size() > mapper.candidate_up_to_ranks) continue;
        std::vector<std::string> of_mapper;
        const auto nodes = mapping.map(mapper, {.seed = options.seed}, of_mapper);
        if (!nodes) {
            note_failure(mapper, nodes.error(), notes);
            continue;
        }
        add_new(of_mapper, notes);
        add(std::string(mapper.name), nodes.value());
        const SearchObjective objective = mapping.cost(nodes.value());
        if (!better(objective, least)) continue;
        least = objective;
        cheapest = nodes.value();
    }
    if (options.deadline.passed()) return candidates;
    add("block_swaps", mapping.refine(cheapest, {.seed = options.seed}));
    candidates.push_back(bound(scenario, options, candidates.back().pu_of_rank));
    return candidates;
}

}  // namespace

Result<std::vector<NamedPlacement>> candidate_placements(const Scenario& scenario,
                                                         const PlannerOptions& options,
                                                         std::vector<std::string>& notes) {
    assert(options.keep != Keep::none && "any rank may go anywhere then");
    if (options.keep == Keep::blocks) return of_blocks(scenario, options, notes);
    return std::vector{bound(scenario, options, scenario.default_placement)};
}

}  // namespace commmap
