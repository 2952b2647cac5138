// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/size_repair.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace commmap::peers {
namespace {

/// What moving a vertex between two certain parts adds to the cut, and the vertex.
using Step = std::pair<double, std::int32_t>;
constexpr double never = std::numeric_limits<double>::infinity();

class SizeRepair {
public:
    SizeRepair(const PeerGraph& graph, std::span<const std::int32_t> sizes,
               std::vector<std::int32_t>& part)
        : graph_(graph),
          part_(part),
          parts_(static_cast<std::int32_t>(sizes.size())),
          surplus_(sizes.size()),
          weight_to_(sizes.size()) {
        for (std::int32_t p = 0; p < parts_; ++p) surplus_[p] = -sizes[p];
        for (const std::int32_t p : part_) ++surplus_[p];
        for (const std::int32_t surplus : surplus_) too_many_ += std::max(surplus, 0);
    }

    void run() {
        if (too_many_ == 0) return;
        steps_.resize(surplus_.size() * (surplus_.size() + 1));
        for (std::int32_t v = 0; v < graph_.num_ranks(); ++v) push_steps(v);
        for (; too_many_ > 0; --too_many_) {
            const std::vector<std::int32_t> path = cheapest_path();
            for (std::size_t i = 0; i + 1 < path.size(); ++i) move_one(path[i + 1], path[i]);
        }
    }

private:
    /// Steps from `from` to `to`; to parts_: of every vertex of `from`, to a part that it has no
    /// edge to.
    using Steps = std::priority_queue<Step, std::vector<Step>, std::greater<>>;
    [[nodiscard]] Steps& steps(std::int32_t from, std::int32_t to) {
        return steps_[static_cast<std::size_t>(from) * (surplus_.size() + 1) +
                      static_cast<std::size_t>(to)];
    }

    void add_weights(std::int32_t vertex) {
        for (std::int32_t e = graph_.first[vertex]; e < graph_.first[vertex + 1]; ++e)
            weight_to_[part_[graph_.neighbours[e]]] += static_cast<double>(graph_.weights[e]);
    }
    void clear_weights(std::int32_t vertex) {
        for (std::int32_t e = graph_.first[vertex]; e < graph_.first[vertex + 1]; ++e)
            weight_to_[part_[graph_.neighbours[e]]] = 0.0;
    }

    void push_steps(std::int32_t vertex) {
        const std::int32_t from = part_[vertex];
        add_weights(vertex);
        const double kept = weight_to_[from];
        for (std::int32_t e = graph_.first[vertex]; e < graph_.first[vertex + 1]; ++e) {
            const std::int32_t to = part_[graph_.neighbours[e]];
            if (to == from || weight_to_[to] == 0.0) continue;
            steps(from, to).emplace(kept - weight_to_[to], vertex);
            weight_to_[to] = 0.0;  // the next edge to this part adds no second step
        }
        clear_weights(vertex);
        steps(from, parts_).emplace(kept, vertex);
    }

    [[nodiscard]] double added_by(std::int32_t vertex, std::int32_t to) {
        add_weights(vertex);
        const double added = weight_to_[part_[vertex]] - (to == parts_ ? 0.0 : weight_to_[to]);
        clear_weights(vertex);
        return added;
    }

    /// Leaves the best step on top: one whose vertex has moved goes, one that adds more by now
    /// sinks. What adds less by now was pushed again when the neighbour moved.
    [[nodiscard]] double cost_of_top(std::int32_t from, std::int32_t to) {
        Steps& queue = steps(from, to);
        while (!queue.empty()) {
            const auto [added, vertex] = queue.top();
            if (part_[vertex] == from) {
                const double now = added_by(vertex, to);
                if (now <= added) return added;
                queue.pop();
                queue.emplace(now, vertex);
            } else {
                queue.pop();
            }
        }
        return never;
    }

    /// Dijkstra over parts, from all with too many. @return the parts, the one with room first
    [[nodiscard]] std::vector<std::int32_t> cheapest_path() {
        std::vector<double> cost(surplus_.size(), never);
        std::vector<std::int32_t> before(surplus_.size(), -1);
        std::vector<bool> done(surplus_.size(), false);
        for (std::int32_t p = 0; p < parts_; ++p) {
            if (surplus_[p] > 0) cost[p] = 0.0;
        }
        std::int32_t at = 0;
        while (true) {
            at = -1;
            for (std::int32_t p = 0; p < parts_; ++p) {
                if (!done[p] && (at < 0 || cost[p] < cost[at])) at = p;
            }
            assert(at >= 0 && cost[at] < never && "any vertex may go to any part");
            if (surplus_[at] < 0) break;
            done[at] = true;
            const double anywhere = cost_of_top(at, parts_);
            for (std::int32_t to = 0; to < parts_; ++to) {
                if (done[to]) continue;
                const double step = std::max(0.0, std::min(anywhere, cost_of_top(at, to)));
                if (cost[at] + step < cost[to]) {
                    cost[to] = cost[at] + step;
                    before[to] = at;
                }
            }
        }
        std::vector<std::int32_t> path;
        for (; at >= 0; at = before[at]) path.push_back(at);
        return path;
    }

    void move_one(std::int32_t from, std::int32_t to) {
        const bool straight = cost_of_top(from, to) <= cost_of_top(from, parts_);
        const std::int32_t vertex = steps(from, straight ? to : parts_).top().second;
        part_[vertex] = to;
        --surplus_[from];
        ++surplus_[to];
        push_steps(vertex);
        for (std::int32_t e = graph_.first[vertex]; e < graph_.first[vertex + 1]; ++e)
            push_steps(graph_.neighbours[e]);
    }

    const PeerGraph& graph_;
    std::vector<std::int32_t>& part_;
    std::int32_t parts_;
    std::vector<std::int32_t> surplus_;
    std::vector<double> weight_to_;  ///< of one vertex to each part; 0 between calls
    std::vector<Steps> steps_;
    std::int64_t too_many_ = 0;
};

}  // namespace

void repair_sizes(const PeerGraph& graph, std::span<const std::int32_t> sizes,
                  std::vector<std::int32_t>& part) {
    SizeRepair(graph, sizes, part).run();
}

}  // namespace commmap::peers
