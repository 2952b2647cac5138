#include "core/mapping/hierarchy.hpp"

#include <algorithm>
#include <utility>

namespace commmap {
namespace {

constexpr double stuck = 0.95;  ///< a graph that shrinks less is not coarsened further

}  // namespace

Hierarchy::Hierarchy(const CsrGraph& finest, std::uint32_t down_to, Random& random,
                     std::span<const std::uint32_t> labels)
    : finest_(finest) {
    const auto max_size = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(2, finest.num_ranks() * 3 / (2 * std::uint64_t{down_to})));
    std::vector<std::uint32_t> coarse_labels;
    while (coarsest().num_vertices() > down_to) {
        Coarsened coarser = coarsen(coarsest(), max_size, random, labels);
        const bool no_use = coarser.graph.num_vertices() > stuck * coarsest().num_vertices();
        levels_.push_back(std::move(coarser));
        if (no_use) break;
        if (labels.empty()) continue;
        coarse_labels = to_coarser(levels_.size() - 1, labels);
        labels = coarse_labels;
    }
}

}  // namespace commmap
