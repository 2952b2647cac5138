#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/plan_reply/cpu_set_table.hpp"

namespace commmap {

/// What `commmap plan` printed. One item a line, in any order between the first and the last:
///     commmap-plan 2
///     line <text>                  for the user, any number
///     report written               the launch's report is there
///     record placed 1a 2b ...      PlannedRun, for the record of the run
///     decision apply|keep|decline
///     tasks-per-node 2,2,1         with apply: for each node of the allocation
///     order 1,0x2                  with apply: for each rank its node, in runs
///cpu-sets 0,1/0@0x2,1x1       with apply: CpuSetTable, for each node of the allocation
///     end
struct PlanReply {
    enum class Decision { apply, keep, decline };
    Decision decision = Decision::decline;
    std::vector<std::string> lines;
    bool report_written = false;
    std::string record;  ///< as it is in the answer; empty: none
    std::vector<std::uint32_t> tasks_per_node;
    std::vector<std::uint32_t> node_of_rank;  ///< index in node-list order
    CpuSetTable cpu_sets;
};

/// Writes an answer as parse_plan_reply() reads it: what is said, what is decided, and the end.
class ReplyWriter {
public:
    /// A line for the user. A path in it may hold anything: line feeds become spaces.
    void add_line(std::string line);
    void note_report();
    /// @param record  as planned_run.hpp writes it
    void keep_record(std::string_view record);
    /// @pre decision is not apply
    void decide(PlanReply::Decision decision);
    /// @param tasks_per_node  as format_counts() writes them
    /// @param order           as format_node_runs() writes it
    /// @param cpu_sets           as CpuSetTable::text() writes them
    void apply(std::string_view tasks_per_node, std::string_view order, std::string_view cpu_sets);
    /// The whole answer.
    [[nodiscard]] std::string finish() const;
    /// What is written here, before what another whole answer says.
    [[nodiscard]] std::string continued_by(std::string_view answer) const;

private:
    void item(std::string_view name, std::string_view value);

    std::string items_;
};

/// Whether what a planner printed ends with an answer's end.
[[nodiscard]] bool is_whole_reply(std::string_view printed);
/// The length of the answer that the text begins with; nullopt: it begins with none, or lacks its
/// end. A kept plan has the launch's report behind that.
[[nodiscard]] std::optional<std::size_t> length_of_reply(std::string_view text);

/// invalid_input for a missing first line or `end`, an unknown or repeated item, or items that do
/// not fit together: the output of a planner that died half way must not be taken for a plan.
[[nodiscard]] Result<PlanReply> parse_plan_reply(std::string_view text);

/// Checks an `apply` against the launch: the number of nodes and tasks, and that each node has as
/// many ranks as tasks_per_node says. Returns the hosts by rank.
[[nodiscard]] Result<std::vector<std::string>> check_placement(
    const PlanReply& reply, const std::vector<std::string>& nodes, std::size_t num_tasks);

}  // namespace commmap
