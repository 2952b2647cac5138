// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/scenario.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/collectives/expansion/expand_profile.hpp"
#include "core/estimate/port_table.hpp"
#include "core/plan/layout.hpp"
#include "core/steps/steps.hpp"

namespace commmap {
namespace {

/// Returns for how many of its messages each rank waits, as a share. A rank waits once for all
/// messages that it sends in a round. A rank waits for each message of a collective, whose rounds
/// wait for each other, and for each message that is in no round.
std::vector<double> waits_per_message(const Step& step, const CommGraph& expanded) {
    std::vector<double> waits;
    if (step.sending_rounds.empty()) return waits;
    for (RankId rank = 0; rank < expanded.num_ranks(); ++rank) {
        const double all = expanded.count_sent_by(rank);
        double in_rounds = 0.0;
        for (const TrafficCell& cell : step.sent.sent_by(rank))
            if (cell.peer != rank) in_rounds += static_cast<double>(cell.count);
        const double waited = std::min(in_rounds, step.sending_rounds[rank]) + (all - in_rounds);
        waits.push_back(all > 0.0 && waited > 0.0 ? std::min(1.0, waited / all) : 1.0);
    }
    return waits;
}

/// What the planner learns from the rounds of a run.
struct RoundsOfJob {
    std::vector<StepGraph> steps;             ///< empty: not known, or there is one step
    std::string no_steps_because;             ///< why a profile with rounds has no steps
    std::shared_ptr<const RunScript> script;  ///< none: the run cannot be simulated
};

RoundsOfJob rounds_of_job(const Profile& profile, const CollectiveChoice& choice) {
    RoundsOfJob job;
    auto replayed = replay(profile);
    if (!replayed) {
        if (replayed.error().code != Errc::not_found)
            job.no_steps_because = replayed.error().message;
        return job;
    }
    if (auto script = script_of(profile, replayed.value().begins, choice); script)
        job.script = std::make_shared<const RunScript>(std::move(script).value());
    const auto steps = steps_of(profile, std::move(replayed).value().kinds);
    if (steps.size() < 2) return job;
    std::size_t most_messages = max_expanded_messages;  // limit for all steps together
    for (const Step& step : steps) {
        auto graph = expand_part(profile, step.sent, step.collectives, most_messages, choice);
        if (!graph) {
            job.steps.clear();
            job.no_steps_because = graph.error().message;
            return job;
        }
        most_messages -= std::min(most_messages, graph.value().num_entries());
        auto waits = waits_per_message(step, graph.value());
        job.steps.push_back({std::move(graph).value(), std::move(waits)});
    }
    return job;
}

}  // namespace

Result<Scenario> make_scenario(const Profile& profile, const Cluster& cluster,
                               const Allocation& allocation, std::uint32_t num_ranks,
                               const SlurmLayout& layout, std::optional<CollectiveRules> rules) {
    if (profile.num_ranks() != num_ranks) {
        return Error{Errc::invalid_input,
                     fmt::format("the profile is of {} ranks, the job has {}; record one with "
                                 "srun --commmap=profile -n {}",
                                 profile.num_ranks(), num_ranks, num_ranks)};
    }
    auto hct = build_hct(cluster, allocation);
    if (!hct) return hct.error();
    const std::vector<NodeId> order = node_order_of(hct.value(), layout.topology_order);
    std::vector<std::uint32_t> room;  // for tasks, on each node
    for (NodeId node = 0; node < hct.value().num_nodes(); ++node)
        room.push_back(hct.value().node(node).num_pus / layout.cpus_per_task);
    auto tasks = layout.node_of_rank.empty()
                     ? dealt_in_order(order, room, num_ranks)
                     : tasks_per_node_of(layout.node_of_rank, room, num_ranks);
    if (!tasks) return tasks.error();
    std::vector<std::string> notes;
    const CollectiveChoice choice{rules, tasks.value()};
    auto graph = expand_profile(profile, max_expanded_messages, choice);
    const bool too_many = !graph && graph.error().code == Errc::out_of_range;
    if (too_many) {
        notes.push_back("collectives are left out: " + graph.error().message);
        Profile without = profile;
        for (Phase& phase : without.phases) phase.collectives.clear();
        graph = expand_profile(without);
    }
    if (!graph) return graph.error();
    auto candidate_pus = choose_candidate_pus(hct.value(), tasks.value(), layout.cpus_per_task);
    const std::vector<std::uint32_t> node_of_rank =
        layout.node_of_rank.empty() ? block_layout(order, tasks.value()) : layout.node_of_rank;
    auto placement = placement_on_nodes(hct.value(), candidate_pus, node_of_rank);
    RoundsOfJob rounds;
    if (!too_many) rounds = rounds_of_job(profile, choice);
    auto ports = std::make_shared<const PortTable>(graph.value(), hct.value(),
                                                   waits_per_message_of(rounds.steps));
    auto run = std::make_shared<const RunCost>(rounds.steps, std::move(ports), hct.value());
    return Scenario{std::move(hct).value(),
                    std::move(tasks).value(),
                    std::move(candidate_pus),
                    std::move(placement),
                    std::move(graph).value(),
                    std::move(notes),
                    too_many,
                    std::move(rounds.steps),
                    std::move(run),
                    std::move(rounds.no_steps_because),
                    std::move(rounds.script)};
}

}  // namespace commmap
