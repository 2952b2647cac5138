// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/candidates.hpp"

#include <cassert>
#include <optional>
#include <utility>

#include "core/mapping/improvement/block_mapping.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/node_binding.hpp"
#include "core/plan/exceptions_to_errors.hpp"
#include "core/plan/layout.hpp"

namespace commmap {
namespace {

MapperOptions effort_of(const PlannerOptions& options) {
    return {.seed = options.seed, .deadline = options.deadline};
}

NamedPlacement bound(const Scenario& scenario, const PlannerOptions& options,
                     const std::vector<PuId>& start) {
    return {"bound", bind_in_nodes(scenario.graph, scenario.hct, start, effort_of(options))};
}

/// Tries one candidate. A failure costs only this candidate.
template <class Work>
void try_one(CandidateSink& sink, std::string_view name, Work&& work) {
    if (const Status done = exceptions_to_errors(work); !done) sink.leave_out(name, done.error());
}

Status of_blocks(const Scenario& scenario, const RunTime& time, const PlannerOptions& options,
                 const EarlierPlan& earlier, CandidateSink& sink) {
    std::vector<NodeId> node_of_rank;
    for (const PuId pu : scenario.default_placement)
        node_of_rank.push_back(scenario.hct.pu(pu).node);
    auto blocks = blocks_of(node_of_rank, scenario.hct);
    if (!blocks) return blocks.error();
    const BlockMapping mapping(scenario.graph, scenario.hct, std::move(blocks).value(),
                               rank0_node(scenario, options.rank0_free), scenario.steps, time);
    const auto tried = [&](std::string_view name) -> std::optional<BlockMapping::Nodes> {
        const EarlierPlan::Tried* const known = earlier.find(name);
        if (known == nullptr) return std::nullopt;
        return mapping.nodes_of(known->pu_of_rank, scenario.hct);
    };
    const auto take = [&](std::string_view name, const BlockMapping::Nodes& nodes,
                          bool linear_instead = false) {
        return sink.take(
            {std::string(name),
             placement_on_nodes(scenario.hct, scenario.candidate_pus, mapping.node_of_rank(nodes)),
             linear_instead});
    };
    BlockMapping::Nodes cheapest = mapping.start();
    SearchObjective least = mapping.cost(cheapest);
    for (const MapperInfo& mapper : options.mappers) {
        if (options.deadline.passed()) break;
        if (mapping.size() > mapper.candidate_up_to_ranks) continue;
        try_one(sink, mapper.name, [&]() -> Status {
            std::optional<BlockMapping::Nodes> nodes = tried(mapper.name);
            bool linear_instead = nodes && earlier.find(mapper.name)->linear_instead;
            if (!nodes) {
                auto made = mapping.map(mapper, effort_of(options));
                if (!made) return made.error();
                for (const std::string& note : made.value().notes) sink.note(note);
                nodes = std::move(made.value().nodes);
                linear_instead = made.value().linear_instead;
            }
            if (Status ok = take(mapper.name, *nodes, linear_instead); !ok) return ok;
            const SearchObjective objective = mapping.cost(*nodes);
            if (!better(objective, least)) return Ok{};
            least = objective;
            cheapest = std::move(*nodes);
            return Ok{};
        });
    }
    if (options.deadline.passed()) return Ok{};
    try_one(sink, "block_swaps", [&] {
        const auto known = tried("block_swaps");
        cheapest = known ? *known : mapping.refine(cheapest, effort_of(options));
        return take("block_swaps", cheapest);
    });
    // The planner adds a candidate of an earlier plan by itself.
    if (options.deadline.passed() || earlier.find("bound") != nullptr) return Ok{};
    try_one(sink, "bound", [&] {
        return sink.take(bound(scenario, options,
                               placement_on_nodes(scenario.hct, scenario.candidate_pus,
                                                  mapping.node_of_rank(cheapest))));
    });
    return Ok{};
}

}  // namespace

Status candidate_placements(const Scenario& scenario, const RunTime& time,
                            const PlannerOptions& options, const EarlierPlan& earlier,
                            CandidateSink& sink) {
    assert(options.keep != LayoutConstraint::none && "any rank may go anywhere then");
    if (options.keep == LayoutConstraint::blocks)
        return of_blocks(scenario, time, options, earlier, sink);
    if (earlier.find("bound") != nullptr) return Ok{};
    try_one(sink, "bound",
            [&] { return sink.take(bound(scenario, options, scenario.default_placement)); });
    return Ok{};
}

}  // namespace commmap
