#include "core/mapping/problem/rank_graph.hpp"

namespace commmap {

RankGraph::RankGraph(const CommGraph& graph) {
    first_.reserve(graph.num_ranks() + 1);
    first_.push_back(0);
    for (RankId rank = 0; rank < graph.num_ranks(); ++rank) {
        // Both lists are sorted by peer: merge them.
        const auto sent = graph.sent_by(rank);
        const auto received = graph.received_by(rank);
        const auto add = [&](const Traffic& t) {
            if (edges_.size() > first_.back() && edges_.back().peer == t.peer) {
                edges_.back().bytes += t.bytes;
            } else {
                edges_.push_back({t.peer, t.bytes});
            }
        };
        std::size_t s = 0;
        std::size_t r = 0;
        while (s < sent.size() || r < received.size()) {
            const bool take_sent =
                r == received.size() || (s < sent.size() && sent[s].peer <= received[r].peer);
            add(take_sent ? sent[s++] : received[r++]);
        }
        first_.push_back(edges_.size());
    }
}

}  // namespace commmap
