#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commmap {

/// An undirected graph in CSR form: each edge stands at both ends with the same weight.
struct WeightedGraph {
    std::vector<std::size_t> first{0};  ///< num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<std::uint64_t> weights;
    [[nodiscard]] std::size_t num_vertices() const { return first.size() - 1; }
};

}  // namespace commmap
