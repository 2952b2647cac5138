// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "graphs/graph.hpp"

namespace commmap::bench {

/// Reads a METIS .graph file: header "ranks edges 001", then for each rank its neighbours, counted
/// from 1, each followed by the weight of the edge; an empty line is a rank without neighbours,
/// a line that begins with % a comment.
///
/// Throws InputError that names file and line: another format, a count that is not the header's, a
/// neighbour that does not exist, comes twice or is the rank itself, an edge that is not at both of
/// its ends with one weight, a weight above max_edge_weight.
/// Cost: O(file); the whole text and 16 bytes a neighbour are in memory at once.
/// Source: METIS 5.1.0 manual, section 4.1.1.
[[nodiscard]] Graph read_graph(const std::string& path);

/// Writes the same format, with `comment` (one line) on top. Throws InputError.
void write_graph(const std::string& path, const Graph& graph, std::string_view comment);

}  // namespace commmap::bench
