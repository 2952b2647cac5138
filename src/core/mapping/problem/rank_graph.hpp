#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/comm_graph.hpp"

namespace commmap {

/// The communication graph in the form that grouping algorithms need: undirected, one edge for each
/// pair of ranks, weight = bytes of both directions. A pair that exchanges only empty messages has
/// an edge of weight 0.
class RankGraph {
public:
    struct Edge {
        RankId peer;
        std::uint64_t bytes;
    };

    /// Cost: O(entries).
    explicit RankGraph(const CommGraph& graph);

    [[nodiscard]] std::size_t num_ranks() const { return first_.size() - 1; }
    /// The edges of a rank, sorted by peer.
    [[nodiscard]] std::span<const Edge> edges_of(RankId rank) const {
        return {edges_.data() + first_[rank], first_[rank + 1] - first_[rank]};
    }

private:
    std::vector<std::size_t> first_;
    std::vector<Edge> edges_;
};

}  // namespace commmap
