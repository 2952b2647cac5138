#include "core/plan/candidates.hpp"

#include <cassert>
#include <utility>

#include "core/mapping/block_mapping.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/node_binding.hpp"
#include "core/plan/caught.hpp"
#include "core/plan/layout.hpp"

namespace commmap {
namespace {

NamedPlacement bound(const Scenario& scenario, const PlannerOptions& options,
                     const std::vector<PuId>& start) {
    return {"bound", bind_in_nodes(scenario.graph, scenario.hct, start, {.seed = options.seed})};
}

/// Tries one candidate; a failure costs nothing but it.
template <class Work>
void try_one(CandidateSink& sink, std::string_view name, Work&& work) {
    if (const Status done = caught(work); !done) sink.leave_out(name, done.error());
}

Status of_blocks(const Scenario& scenario, const PlannerOptions& options, CandidateSink& sink) {
    std::vector<NodeId> node_of_rank;
    for (const PuId pu : scenario.default_placement)
        node_of_rank.push_back(scenario.hct.pu(pu).node);
    auto blocks = blocks_of(node_of_rank, scenario.hct);
    if (!blocks) return blocks.error();
    const BlockMapping mapping(scenario.graph, scenario.hct, std::move(blocks).value(),
                               rank0_node(scenario, options.rank0_free));
    const auto take = [&](std::string_view name, const BlockMapping::Nodes& nodes) {
        return sink.take({std::string(name), placement_on_nodes(scenario.hct, scenario.slots,
                                                                mapping.node_of_rank(nodes))});
    };
    BlockMapping::Nodes cheapest = mapping.start();
    SearchObjective least = mapping.cost(cheapest);
    for (const MapperInfo& mapper : options.mappers) {
        if (options.deadline.passed()) break;
        if (mapping.size() > mapper.candidate_up_to_ranks) continue;
        try_one(sink, mapper.name, [&]() -> Status {
            std::vector<std::string> notes;
            auto nodes = mapping.map(mapper, {.seed = options.seed}, notes);
            if (!nodes) return nodes.error();
            for (const std::string& note : notes) sink.note(note);
            if (Status ok = take(mapper.name, nodes.value()); !ok) return ok;
            const SearchObjective objective = mapping.cost(nodes.value());
            if (!better(objective, least)) return Ok{};
            least = objective;
            cheapest = std::move(nodes).value();
            return Ok{};
        });
    }
    if (options.deadline.passed()) return Ok{};
    try_one(sink, "block_swaps", [&] {
        cheapest = mapping.refine(cheapest, {.seed = options.seed});
        return take("block_swaps", cheapest);
    });
    try_one(sink, "bound", [&] {
        return sink.take(bound(
            scenario, options,
            placement_on_nodes(scenario.hct, scenario.slots, mapping.node_of_rank(cheapest))));
    });
    return Ok{};
}

}  // namespace

Status candidate_placements(const Scenario& scenario, const PlannerOptions& options,
                            CandidateSink& sink) {
    assert(options.keep != Keep::none && "any rank may go anywhere then");
    if (options.keep == Keep::blocks) return of_blocks(scenario, options, sink);
    try_one(sink, "bound",
            [&] { return sink.take(bound(scenario, options, scenario.default_placement)); });
    return Ok{};
}

}  // namespace commmap
