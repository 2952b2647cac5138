// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/export.hpp"
#include "commmap/result.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// Reads a communication graph from text in METIS's format.
/// - The first line is "vertices edges [format]". Format 1, 01 or 001 means that edges have
///   weights.
/// - Then comes one line for each vertex: its neighbours, counted from 1, each followed by the
///   weight of the edge where edges have weights. Without weights each edge weighs 1.
/// - An edge stands in the lines of both its ends.
/// - A line that begins with % is a comment. An empty line is a vertex without neighbours.
///
/// @param name  name of the file, for error messages
/// @param text  content of the file
/// @return      the graph; each row is sorted by neighbour
/// Errors: invalid_input with the message "FILE:LINE: what", for
/// - a word that is not a whole number from 0 on,
/// - a neighbour that is out of range, listed twice, or the vertex itself,
/// - an edge that is missing in its other end's line, or has another weight there,
/// - missing or surplus lines or edges,
/// - weights of vertices: a PU takes one rank, whatever the rank weighs,
/// - weights that add up to 2^63 or more.
/// Cost: O(text). Memory: twice that of the graph.
/// Source: Karypis, "METIS, a software package for partitioning unstructured graphs, version
/// 5.1.0", 2013, Sec. 4.1.1.
/// Differs from METIS: an edge may weigh 0, and weights are 64-bit.
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> parse_graph(std::string_view name,
                                                               std::string_view text);

/// Reads a file and parses it with parse_graph().
/// Errors: not_found, io; invalid_input as parse_graph().
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> read_graph_file(const std::string& path);

}  // namespace commmap
