#include "core/mapping/multisection.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "core/base/ids.hpp"
#include "core/mapping/group_filling.hpp"

namespace commmap {
namespace {

/// Halves some of the ranks of a graph by bisection of what they have in common.
class RankBisection {
public:
    RankBisection(const CsrGraph& graph, const BisectionEffort& effort, std::uint64_t seed,
                  const Deadline& deadline)
        : graph_(graph),
          effort_(effort),
          bisection_(seed),
          deadline_(deadline),
          local_(graph.num_vertices(), no_id) {}

    void halve(std::span<RankId> ranks, std::size_t target, std::size_t depth) {
        if (deadline_.passed()) return;
        const Sides sides = bisection_.split(subgraph(ranks), target, effort_at(depth));
        others_.clear();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (sides[i] == 0)
                ranks[kept++] = ranks[i];
            else
                others_.push_back(ranks[i]);
        }
        assert(kept == target && "a half does not fit its groups");
        std::copy(others_.begin(), others_.end(),
                  ranks.begin() + static_cast<std::ptrdiff_t>(kept));
    }

private:
    /// Below the top level there are many more parts, and less depends on each.
    [[nodiscard]] BisectionEffort effort_at(std::size_t depth) const {
        if (depth <= 1) return effort_;
        return {1, std::max(2U, effort_.starts / 2), std::max(1U, effort_.kept / 2)};
    }

    const CsrGraph& subgraph(std::span<const RankId> ranks) {
        for (std::uint32_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = i;
        part_.first.assign(1, 0);
        part_.neighbours.clear();
        part_.weights.clear();
        part_.sizes.assign(ranks.size(), 1);
        for (const RankId rank : ranks) {
            for (std::uint32_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
                const std::uint32_t to = local_[graph_.neighbours[i]];
                if (to == no_id) continue;
                part_.neighbours.push_back(to);
                part_.weights.push_back(graph_.weights[i]);
            }
            part_.first.push_back(static_cast<std::uint32_t>(part_.neighbours.size()));
        }
        for (const RankId rank : ranks) local_[rank] = no_id;
        return part_;
    }

    const CsrGraph& graph_;
    BisectionEffort effort_;
    Bisection bisection_;
    Deadline deadline_;
    std::vector<std::uint32_t> local_;  ///< number of a rank in part_; no_id: not in it
    CsrGraph part_;
    std::vector<RankId> others_;
};

}  // namespace

std::vector<GroupId> multisect(const CsrGraph& graph, const MachineTree& machine,
                               const BisectionEffort& effort, std::uint64_t seed,
                               const Deadline& deadline) {
    RankBisection bisection(graph, effort, seed, deadline);
    return fill_by_halves(machine, graph.num_vertices(),
                          [&](std::span<RankId> ranks, std::size_t target, std::size_t depth) {
                              bisection.halve(ranks, target, depth);
                          });
}

}  // namespace commmap
