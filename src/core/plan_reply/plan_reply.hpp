// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/plan_reply/cpu_set_table.hpp"

namespace commmap {

/// The longest text about what runs inside the tasks.
inline constexpr std::size_t most_inside_letters = 32000;

/// An answer of the planner, as `commmap plan` prints it and srun reads it. One item a line, in any
/// order between the first and the last:
///     commmap-plan 2
///     line <text>                  for the user, any number
///     report written               the launch's report is there
///     record placed 1a 2b ...      PlannedRun, for the record of the run
///     decision apply|keep|decline
///     inside bcast 16 65536 chain 8192;...   with apply or keep: inside::Choices
///     tasks-per-node 2,2,1         with apply: for each node of the allocation
///     order 1,0x2                  with apply: for each rank its node, in runs
///     cpu-sets 0,1/0@0x2,1x1       with apply: CpuSetTable, for each node of the allocation
///     end
struct PlanReply {
    enum class Decision { apply, keep, decline };
    Decision decision = Decision::decline;
    std::vector<std::string> lines;
    bool report_written = false;
    std::string record;  ///< as in the answer; empty: none
    std::string inside;  ///< what runs inside the tasks, as in the answer; empty: nothing
    std::vector<std::uint32_t> tasks_per_node;
    std::vector<std::uint32_t> node_of_rank;  ///< index in node-list order
    CpuSetTable cpu_sets;
};

/// Writes an answer, as parse_plan_reply() reads it.
class ReplyWriter {
public:
    /// Adds a line for the user. Line feeds become spaces, because a path in the line may have
    /// them.
    void add_line(std::string line);
    /// Adds that the launch's report was written.
    void note_report();
    /// @param record  as planned_run.hpp writes it
    /// Adds the record of the planned run.
    void keep_record(std::string_view record);
    /// @param rules  inside::Choices; not empty
    /// Adds what runs inside the tasks.
    void add_inside(std::string_view rules);
    /// @pre decision is not apply
    /// Adds a decision without a placement.
    void decide(PlanReply::Decision decision);
    /// @param tasks_per_node  as format_counts() writes them
    /// @param order           as format_node_runs() writes it
    /// @param cpu_sets           as CpuSetTable::text() writes them
    /// Adds the decision `apply` with its placement.
    void apply(std::string_view tasks_per_node, std::string_view order, std::string_view cpu_sets);
    /// Ends the answer and returns it.
    [[nodiscard]] std::string finish() const;
    /// Puts the items written here in front of the items of another whole answer, and returns the
    /// joined answer.
    [[nodiscard]] std::string continued_by(std::string_view answer) const;

private:
    void item(std::string_view name, std::string_view value);

    std::string items_;
};

/// Tells whether a planner's output is complete: it ends with an answer's last line.
[[nodiscard]] bool is_whole_reply(std::string_view printed);
/// Returns the length of the answer at the beginning of a text; nullopt: there is none, or its last
/// line is missing. In a kept plan, the launch's report follows the answer.
[[nodiscard]] std::optional<std::size_t> length_of_reply(std::string_view text);

/// Reads an answer.
/// Errors: invalid_input for a missing first line or `end`, an unknown or repeated item, or items
/// that contradict each other. So the output of a planner that died half-way is never taken for a
/// plan.
[[nodiscard]] Result<PlanReply> parse_plan_reply(std::string_view text);

/// Turns an answer that applies a plan into one that keeps Slurm's own placement. An answer with
/// another decision stays as it is, and so does a text that parse_plan_reply() refuses.
/// Nothing runs inside the tasks then: Slurm's own placement is that of a launch without commmap.
/// @param reason       becomes the last line for the user
/// @param edit_record  turns the record of the plan into that of Slurm's own placement; empty: the
///                     new answer has no record
[[nodiscard]] std::string keep_instead(
    const std::string& answer, const std::string& reason,
    const std::function<std::string(const std::string& record)>& edit_record);

/// Checks an answer `apply` against the launch: the numbers of nodes and tasks, and that each node
/// has as many ranks and CPU sets as tasks_per_node says.
/// @return  the host of each rank
/// Errors: invalid_input.
[[nodiscard]] Result<std::vector<std::string>> check_placement(
    const PlanReply& reply, const std::vector<std::string>& nodes, std::size_t num_tasks);

}  // namespace commmap
