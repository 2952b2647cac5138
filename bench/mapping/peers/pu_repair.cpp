// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/pu_repair.hpp"

#include <cassert>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace commmap::peers {
namespace {

struct Move {
    double added_cost;
    std::int32_t rank;
    std::int32_t pu;
    bool operator>(const Move& other) const {
        return std::tuple(added_cost, rank) > std::tuple(other.added_cost, other.rank);
    }
};

class PuRepair {
public:
    PuRepair(const PeerProblem& problem, PeerProgram::Mapping& mapping)
        : problem_(problem), mapping_(mapping), ranks_on_(problem.tree.num_pus()) {
        for (const std::int32_t pu : mapping_) ++ranks_on_[pu];
        for (const std::int32_t pu : problem_.pus) {
            if (ranks_on_[pu] == 0) empty_.push_back(pu);
        }
    }

    void run() {
        if (empty_.empty()) return;
        for (std::size_t rank = 0; rank < mapping_.size(); ++rank) {
            if (ranks_on_[mapping_[rank]] > 1)
                moves_.push(best_move(static_cast<std::int32_t>(rank)));
        }
        while (!empty_.empty()) {
            assert(!moves_.empty() && "a PU without a rank leaves one too many on another");
            const Move found = moves_.top();
            moves_.pop();
            if (ranks_on_[mapping_[found.rank]] == 1) continue;
            const Move now = best_move(found.rank);
            if (now.added_cost > found.added_cost) {
                moves_.push(now);  // its PU is taken, or a neighbour has moved
            } else {
                apply(now);
            }
        }
    }

private:
    [[nodiscard]] double cost_on(std::int32_t rank, std::int32_t pu) const {
        const PeerGraph& graph = problem_.graph;
        double cost = 0.0;
        for (std::int32_t e = graph.first[rank]; e < graph.first[rank + 1]; ++e) {
            cost += static_cast<double>(graph.weights[e]) *
                    static_cast<double>(problem_.tree.distance(pu, mapping_[graph.neighbours[e]]));
        }
        return cost;
    }

    [[nodiscard]] Move best_move(std::int32_t rank) const {
        Move best{std::numeric_limits<double>::infinity(), rank, -1};
        for (const std::int32_t pu : empty_) {
            const double cost = cost_on(rank, pu);
            if (cost < best.added_cost) best = {cost, rank, pu};
        }
        best.added_cost -= cost_on(rank, mapping_[rank]);
        return best;
    }

    void apply(const Move& move) {
        --ranks_on_[mapping_[move.rank]];
        ++ranks_on_[move.pu];
        mapping_[move.rank] = move.pu;
        std::erase(empty_, move.pu);
    }

    const PeerProblem& problem_;
    PeerProgram::Mapping& mapping_;
    std::vector<std::int32_t> ranks_on_;
    std::vector<std::int32_t> empty_;
    std::priority_queue<Move, std::vector<Move>, std::greater<>> moves_;
};

}  // namespace

void repair_pus(const PeerProblem& problem, PeerProgram::Mapping& mapping) {
    PuRepair(problem, mapping).run();
}

}  // namespace commmap::peers
