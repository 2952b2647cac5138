// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan_reply/plan_reply.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/number.hpp"
#include "core/text/node_runs.hpp"

namespace commmap {
namespace {

constexpr std::string_view first_line = "commmap-plan 2";
constexpr std::string_view last_line = "end";
constexpr std::string_view end_of_reply = "\nend\n";
constexpr std::size_t most_lines_for_user = 10000;
constexpr std::size_t most_record_letters = 1000;

Error refuse(const std::string& what) {
    return Error{Errc::invalid_input,
                 fmt::format("the planner's answer cannot be used (it {}): are "
                             "commmap and the plugin of one version?",
                             what)};
}

Result<std::vector<std::uint32_t>> parse_counts(std::string_view text) {
    std::vector<std::uint32_t> counts;
    for (;;) {
        const auto comma = text.find(',');
        const auto count = parse_number(text.substr(0, comma));
        if (!count || *count > UINT32_MAX) return refuse("has a wrong number of tasks per node");
        counts.push_back(static_cast<std::uint32_t>(*count));
        if (comma == std::string_view::npos) return counts;
        text.remove_prefix(comma + 1);
    }
}

/// Reads the items between the first line and `end`, each at most once.
class ReplyParser {
public:
    Status item(std::string_view name, std::string_view value) {
        if (name == "line") return text_for_user(value);
        if (name == "report") return report(value);
        if (name == "record") return record(value);
        if (name == "decision") return decision(value);
        if (name == "tasks-per-node") return tasks_per_node(value);
        if (name == "order") return order(value);
        if (name == "cpu-sets") return cpu_sets(value);
        if (name == "inside") return inside(value);
        return refuse(fmt::format("has an unknown line '{}'", name.substr(0, 40)));
    }

    Result<PlanReply> finish() {
        if (!has_decision_) return refuse("has no decision");
        if (reply_.decision == PlanReply::Decision::decline && !reply_.inside.empty())
            return refuse("has work inside of tasks that it declines");
        if (reply_.decision != PlanReply::Decision::apply) return std::move(reply_);
        if (reply_.tasks_per_node.empty()) return refuse("has no tasks-per-node");
        if (reply_.node_of_rank.empty()) return refuse("has no order");
        if (!has_cpu_sets_) return refuse("has no CPU sets");
        if (reply_.cpu_sets.num_nodes() != reply_.tasks_per_node.size())
            return refuse("has CPU sets for another number of nodes");
        return std::move(reply_);
    }

private:
    Status text_for_user(std::string_view value) {
        if (reply_.lines.size() == most_lines_for_user) return refuse("has too many lines");
        reply_.lines.emplace_back(value);
        return Ok{};
    }

    Status report(std::string_view value) {
        if (value != "written" || reply_.report_written) return refuse("has a wrong report line");
        reply_.report_written = true;
        return Ok{};
    }

    /// Hands a record on unread, because the reader of the record checks its content.
    Status record(std::string_view value) {
        if (value.empty() || value.size() > most_record_letters || !reply_.record.empty())
            return refuse("has a wrong record line");
        reply_.record = value;
        return Ok{};
    }

    Status decision(std::string_view value) {
        if (has_decision_) return refuse("has two decisions");
        has_decision_ = true;
        if (value == "apply") {
            reply_.decision = PlanReply::Decision::apply;
        } else if (value == "keep") {
            reply_.decision = PlanReply::Decision::keep;
        } else if (value == "decline") {
            reply_.decision = PlanReply::Decision::decline;
        } else {
            return refuse(fmt::format("has an unknown decision '{}'", value.substr(0, 40)));
        }
        return Ok{};
    }

    Status tasks_per_node(std::string_view value) {
        if (!reply_.tasks_per_node.empty()) return refuse("has tasks-per-node twice");
        auto counts = parse_counts(value);
        if (!counts) return counts.error();
        reply_.tasks_per_node = std::move(counts).value();
        return Ok{};
    }

    Status order(std::string_view value) {
        if (!reply_.node_of_rank.empty()) return refuse("has an order twice");
        auto nodes = parse_node_runs(value);
        if (!nodes) return refuse("has a wrong order of ranks: " + nodes.error().message);
        reply_.node_of_rank = std::move(nodes).value();
        return Ok{};
    }

    Status cpu_sets(std::string_view value) {
        if (has_cpu_sets_) return refuse("has CPU sets twice");
        has_cpu_sets_ = true;
        auto table = CpuSetTable::parse(value);
        if (!table) return refuse("has " + table.error().message);
        reply_.cpu_sets = std::move(table).value();
        return Ok{};
    }

    /// Hands rules on unread, but for what would end them in the value that tasks get.
    Status inside(std::string_view value) {
        if (value.empty() || value.size() > most_inside_letters || !reply_.inside.empty() ||
            value.find_first_of(":,") != std::string_view::npos) {
            return refuse("has wrong rules for collectives");
        }
        reply_.inside = value;
        return Ok{};
    }

    PlanReply reply_;
    bool has_decision_ = false;
    bool has_cpu_sets_ = false;
};

}  // namespace

void ReplyWriter::add_line(std::string line) {
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    item("line", line);
}

void ReplyWriter::note_report() { item("report", "written"); }

void ReplyWriter::keep_record(std::string_view record) { item("record", record); }

void ReplyWriter::add_inside(std::string_view rules) { item("inside", rules); }

void ReplyWriter::decide(PlanReply::Decision decision) {
    item("decision", decision == PlanReply::Decision::keep ? "keep" : "decline");
}

void ReplyWriter::apply(std::string_view tasks_per_node, std::string_view order,
                        std::string_view cpu_sets) {
    item("decision", "apply");
    item("tasks-per-node", tasks_per_node);
    item("order", order);
    item("cpu-sets", cpu_sets);
}

std::string ReplyWriter::finish() const {
    return std::string(first_line) + '\n' + items_ + std::string(last_line) + '\n';
}

std::string ReplyWriter::continued_by(std::string_view answer) const {
    return std::string(first_line) + '\n' + items_ +
           std::string(answer.substr(first_line.size() + 1));
}

void ReplyWriter::item(std::string_view name, std::string_view value) {
    (items_ += name) += ' ';
    (items_ += value) += '\n';
}

bool is_whole_reply(std::string_view printed) { return printed.ends_with(end_of_reply); }

std::optional<std::size_t> length_of_reply(std::string_view text) {
    const std::size_t end = text.find(end_of_reply);
    if (!text.starts_with(std::string(first_line) + '\n') || end == std::string_view::npos)
        return std::nullopt;
    return end + end_of_reply.size();
}

Result<PlanReply> parse_plan_reply(std::string_view text) {
    ReplyParser reader;
    bool begun = false;
    bool ended = false;
    while (!text.empty()) {
        const auto newline = text.find('\n');
        if (newline == std::string_view::npos) return refuse("stops in the middle of a line");
        const std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline + 1);
        if (ended) return refuse("goes on after its end");
        if (!begun) {
            if (line != first_line)
                return refuse(fmt::format("does not begin with '{}'", first_line));
            begun = true;
        } else if (line == last_line) {
            ended = true;
        } else {
            const auto space = line.find(' ');
            const std::string_view value =
                space == std::string_view::npos ? "" : line.substr(space + 1);
            if (const Status taken = reader.item(line.substr(0, space), value); !taken)
                return taken.error();
        }
    }
    if (!ended) return refuse(begun ? "has no end" : "is empty");
    return reader.finish();
}

std::string keep_instead(const std::string& answer, const std::string& reason,
                         const std::function<std::string(const std::string& record)>& edit_record) {
    const auto reply = parse_plan_reply(answer);
    if (!reply || reply.value().decision != PlanReply::Decision::apply) return answer;
    ReplyWriter kept;
    for (const std::string& line : reply.value().lines) kept.add_line(line);
    kept.add_line(reason);
    if (reply.value().report_written) kept.note_report();
    kept.decide(PlanReply::Decision::keep);
    if (!reply.value().record.empty()) {
        const std::string record = edit_record(reply.value().record);
        if (!record.empty()) kept.keep_record(record);
    }
    return kept.finish();
}

Result<std::vector<std::string>> check_placement(const PlanReply& reply,
                                                 const std::vector<std::string>& nodes,
                                                 std::size_t num_tasks) {
    if (reply.tasks_per_node.size() != nodes.size()) {
        return refuse(fmt::format("is for {} nodes, the job has {}", reply.tasks_per_node.size(),
                                  nodes.size()));
    }
    if (reply.node_of_rank.size() != num_tasks) {
        return refuse(
            fmt::format("places {} tasks, the job has {}", reply.node_of_rank.size(), num_tasks));
    }
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        const CpuSetTable::Pattern* pattern = reply.cpu_sets.pattern_of(node);
        if (pattern == nullptr || pattern->size() != reply.tasks_per_node[node]) {
            return refuse("has CPU sets that are not one for each task of " + nodes[node]);
        }
    }
    std::vector<std::uint32_t> left = reply.tasks_per_node;  // tasks that each node still lacks
    std::vector<std::string> hosts;
    hosts.reserve(num_tasks);
    for (const std::uint32_t node : reply.node_of_rank) {
        if (node >= nodes.size()) {
            return refuse(
                fmt::format("places a task on node {}, the job has {}", node, nodes.size()));
        }
        if (left[node] == 0)
            return refuse(fmt::format("has more tasks on {} than it says", nodes[node]));
        --left[node];
        hosts.push_back(nodes[node]);
    }
    if (std::any_of(left.begin(), left.end(), [](std::uint32_t tasks) { return tasks != 0; }))
        return refuse("places fewer tasks than it says");
    return hosts;
}

}  // namespace commmap
