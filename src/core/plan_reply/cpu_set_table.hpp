#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Which PU of its node each local task gets, for every node of a step: "0,1/1,0@0x5,1x3".
///
/// Before '@', separated by '/', the different node patterns: the CPU set of local task 0, 1, ...,
/// as its index among the sets into which the node's CPUs are divided (see divide_cpus()); a
/// pattern without an index is a node without tasks. After '@' the pattern of each
/// node in node-list order, in runs: "0x5" = pattern 0 for five nodes.
class CpuSetTable {
public:
    using Pattern = std::vector<std::uint32_t>;

    /// invalid_input for anything that is not of this form, a pattern that does not exist, an index
    /// twice in one pattern or beyond its tasks, or more than 2^22 nodes, indices a pattern, or
    /// patterns. Takes untrusted text: cost is bounded by its length.
    [[nodiscard]] static Result<CpuSetTable> parse(std::string_view text);

    /// @param of_node  the pattern of each node in node-list order; empty: it has no task
    /// Patterns are numbered as they first appear. Cost: O(tasks log nodes).
    [[nodiscard]] static CpuSetTable of_nodes(const std::vector<Pattern>& of_node);

    /// The text of all nodes, as parse() reads it. Cost: O(tasks of different patterns + runs).
    [[nodiscard]] std::string text() const;

    /// The same text, shortest form, with the nodes that have no task left out: a step counts only
    /// nodes with tasks.
    [[nodiscard]] std::string text_of_used_nodes() const;

    [[nodiscard]] std::size_t num_nodes() const { return num_nodes_; }
    /// nullptr when there is no such node. Cost: O(runs).
    [[nodiscard]] const Pattern* pattern_of(std::size_t node) const;

private:
    struct Run {
        std::size_t pattern;
        std::size_t count;
    };
    void add_nodes(std::size_t pattern, std::size_t count);

    std::vector<Pattern> patterns_;
    std::vector<Run> runs_;
    std::size_t num_nodes_ = 0;
};

}  // namespace commmap
