#pragma once

#include <string>
#include <string_view>

#include "commmap/export.hpp"
#include "commmap/result.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// A communication graph in METIS's format: the first line is "vertices edges [format]", then one
/// line for each vertex with its neighbours, counted from 1, each followed by the edge's weight
/// when the format is 1, 01 or 001 (without: 1 each). An edge stands in the lines of both its ends.
/// Lines that begin with % are comments, an empty line is a vertex without neighbours.
///
/// @param name  of the file, for errors
/// Errors: invalid_input, "FILE:LINE: what": a number that is none, negative, or a fraction;
/// neighbours out of range, named twice, or the vertex itself; an edge that its other end does not
/// have, or with another weight; lines or edges missing or too many; weights of vertices (a PU
/// takes one rank); weights that add up to 2^63 or more. Rows come out sorted. Cost: O(text);
/// memory of the graph twice. Source: Karypis, "METIS, a software package for partitioning
/// unstructured graphs, version 5.1.0", 2013, Sec. 4.1.1. Differs from METIS: a weight of an edge
/// may be 0, and up to 2^63.
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> parse_graph(std::string_view name,
                                                               std::string_view text);

/// The same of a file. Errors: not_found, io, invalid_input.
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> read_graph_file(const std::string& path);

}  // namespace commmap
