// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Tells which CPU set of its node each local task gets, for every node of a step. Its text form is
/// "0,1/1,0@0x5,1x3".
///
/// - Before '@' stand the different patterns, separated by '/'. A pattern has one number for each
///   local task 0, 1, ...: the index of its CPU set among those of the node (see divide_cpus()). A
///   pattern without a number is a node without tasks.
/// - After '@' stands the pattern of each node, in node-list order. "0x5" is pattern 0 for five
///   nodes.
class CpuSetTable {
public:
    using Pattern = std::vector<std::uint32_t>;

    /// Reads the text form. The text need not be trusted: the work is bounded by its length.
    /// Errors: invalid_input for
    /// - text of another form;
    /// - a pattern that does not exist;
    /// - an index that is listed twice in a pattern, or is not below the pattern's number of tasks;
    /// - more than 2^22 nodes, patterns, or indices in a pattern.
    [[nodiscard]] static Result<CpuSetTable> parse(std::string_view text);

    /// Makes the table from the pattern of each node.
    /// @param of_node  in node-list order; an empty pattern: the node has no task
    /// Patterns are numbered in the order of their first node.
    /// Cost: O(tasks log nodes).
    [[nodiscard]] static CpuSetTable of_nodes(const std::vector<Pattern>& of_node);

    /// Writes the text form, as parse() reads it.
    /// Cost: O(tasks of different patterns + runs).
    [[nodiscard]] std::string text() const;

    /// Writes the text form without the nodes that have no task, because a step counts only nodes
    /// with tasks.
    [[nodiscard]] std::string text_of_used_nodes() const;

    [[nodiscard]] std::size_t num_nodes() const { return num_nodes_; }
    /// Returns the pattern of a node; nullptr: there is no such node.
    /// Cost: O(runs).
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
