// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/power_law.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "graphs/random.hpp"

namespace commmap::bench {
namespace {

constexpr double upper_left = 0.57;
constexpr double upper = upper_left + 0.19;
constexpr double all_but_lower_right = upper + 0.19;

Edge draw(Random& random, unsigned levels) {
    Edge edge;
    for (unsigned level = 0; level < levels; ++level) {
        const double where = random.unit();
        edge.from = 2 * edge.from + (where >= upper ? 1 : 0);
        edge.to = 2 * edge.to +
                  ((where >= upper_left && where < upper) || where >= all_but_lower_right ? 1 : 0);
    }
    return edge;
}

}  // namespace

std::vector<Edge> power_law_edges(const InstanceOptions& options) {
    if (options.ranks < 2) return {};  // a rank alone has nobody to draw
    const auto levels = static_cast<unsigned>(std::bit_width(options.ranks - 1));
    const std::size_t wanted = std::size_t{4} * options.ranks;
    std::vector<Edge> edges;
    edges.reserve(wanted);
    Random random(options.seed);
    while (edges.size() < wanted) {
        Edge edge = draw(random, levels);
        if (edge.from == edge.to || edge.from >= options.ranks || edge.to >= options.ranks)
            continue;
        edge.weight = options.weight;
        edges.push_back(edge);
    }
    return edges;
}

}  // namespace commmap::bench
