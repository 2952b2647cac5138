#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace commmap::peers {

/// A communication graph in CSR form: each edge stands at both ends with the same weight.
struct PeerGraph {
    std::vector<std::int32_t> first{0};    ///< num_ranks() + 1
    std::vector<std::int32_t> neighbours;  ///< from 0
    std::vector<std::uint64_t> weights;    ///< of the edge to the neighbour of the same index
    [[nodiscard]] std::int32_t num_ranks() const {
        return static_cast<std::int32_t>(first.size()) - 1;
    }
};

/// Reads a METIS file with edge weights (format 001) or without (0: all are 1).
///
/// Errors: std::runtime_error with one line when the file cannot be read, breaks the format or is
/// too large for 32-bit indices. That both ends of an edge agree is checked by a sum of hashes.
/// Cost: O(bytes); the text is in memory only while this runs.
[[nodiscard]] PeerGraph read_graph(const std::string& path);

}  // namespace commmap::peers
