#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/plan_reply/slots.hpp"

namespace commmap::spank {

/// What `commmap plan` printed. One item a line, in any order between the first and the last:
///     commmap-plan 1
///     line <text>                  for the user, any number
///     report written               the launch's report is there
///     record placed 1a 2b ...      PlannedRun, for the record of the run
///     decision apply|keep|decline
///     tasks-per-node 2,2,1         with apply: for each node of the allocation
///     order 1,0x2                  with apply: for each rank its node, in runs
///     slots 0,1/0@0x2,1x1          with apply: SlotTable, for each node of the allocation
///     end
struct PlanReply {
    enum class Decision { apply, keep, decline };
    Decision decision = Decision::decline;
    std::vector<std::string> lines;
    bool report_written = false;
    std::string record;  ///< as it is in the answer; empty: none
    std::vector<std::uint32_t> tasks_per_node;
    std::vector<std::uint32_t> node_of_rank;  ///< index in node-list order
    SlotTable slots;
};

/// invalid_input for a missing first line or `end`, an unknown or repeated item, or items that do
/// not fit together: the output of a planner that died half way must not be taken for a plan.
[[nodiscard]] Result<PlanReply> parse_plan_reply(std::string_view text);

/// Checks an `apply` against the launch: the number of nodes and tasks, and that each node has as
/// many ranks as tasks_per_node says. Returns the hosts by rank.
[[nodiscard]] Result<std::vector<std::string>> check_placement(
    const PlanReply& reply, const std::vector<std::string>& nodes, std::size_t num_tasks);

}  // namespace commmap::spank
