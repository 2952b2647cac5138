// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/level_mapper.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "peers/pu_groups.hpp"

namespace commmap::peers {
namespace {

class LevelMapper {
public:
    LevelMapper(const PeerProblem& problem, const Splitter& split)
        : tree_(problem.tree), split_(split), mapping_(problem.pus.size()) {}

    /// @param ranks  ascending; vertex i of `graph` is ranks[i]
    /// @param pus    of one group at `height`, as many as ranks
    void map(const PeerGraph& graph, const std::vector<std::int32_t>& ranks,
             std::span<const std::int32_t> pus, std::size_t height) {
        if (height <= 1) {
            for (std::size_t i = 0; i < ranks.size(); ++i) mapping_[ranks[i]] = pus[i];
            return;
        }
        const auto children = split_by_child(tree_, pus, height);
        if (children.size() <= 1) {
            map(graph, ranks, pus, height - 1);
            return;
        }
        std::vector<std::int32_t> sizes;
        for (const auto child : children) sizes.push_back(static_cast<std::int32_t>(child.size()));
        const auto part = split_(graph, sizes);
        const auto vertices = vertices_of_parts(part, sizes);
        const auto place = places_in_parts(part, sizes.size());
        for (std::size_t c = 0; c < children.size(); ++c) {
            std::vector<std::int32_t> ranks_of_child;
            ranks_of_child.reserve(vertices[c].size());
            for (const std::int32_t v : vertices[c]) ranks_of_child.push_back(ranks[v]);
            PeerGraph inner;
            if (height > 2) inner = subgraph(graph, vertices[c], part, place);
            map(inner, ranks_of_child, children[c], height - 1);
        }
    }

    PeerProgram::Mapping take() { return std::move(mapping_); }

private:
    static std::vector<std::vector<std::int32_t>> vertices_of_parts(
        const std::vector<std::int32_t>& part, const std::vector<std::int32_t>& sizes) {
        std::vector<std::vector<std::int32_t>> vertices(sizes.size());
        for (std::size_t p = 0; p < sizes.size(); ++p)
            vertices[p].reserve(static_cast<std::size_t>(sizes[p]));
        for (std::size_t v = 0; v < part.size(); ++v)
            vertices[part[v]].push_back(static_cast<std::int32_t>(v));
        return vertices;
    }

    /// Of each vertex among those of its part.
    static std::vector<std::int32_t> places_in_parts(const std::vector<std::int32_t>& part,
                                                     std::size_t parts) {
        std::vector<std::int32_t> next(parts);
        std::vector<std::int32_t> place(part.size());
        for (std::size_t v = 0; v < part.size(); ++v) place[v] = next[part[v]]++;
        return place;
    }

    static PeerGraph subgraph(const PeerGraph& graph, const std::vector<std::int32_t>& vertices,
                              const std::vector<std::int32_t>& part,
                              const std::vector<std::int32_t>& place) {
        PeerGraph inner;
        inner.first.reserve(vertices.size() + 1);
        for (const std::int32_t v : vertices) {
            for (std::int32_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                const std::int32_t neighbour = graph.neighbours[e];
                if (part[neighbour] != part[v]) continue;
                inner.neighbours.push_back(place[neighbour]);
                inner.weights.push_back(graph.weights[e]);
            }
            inner.first.push_back(static_cast<std::int32_t>(inner.weights.size()));
        }
        return inner;
    }

    const bench::TreeSpec& tree_;
    const Splitter& split_;
    PeerProgram::Mapping mapping_;
};

}  // namespace

PeerProgram::Mapping map_by_levels(const PeerProblem& problem, const Splitter& split) {
    std::vector<std::int32_t> ranks(problem.pus.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    LevelMapper mapper(problem, split);
    mapper.map(problem.graph, ranks, problem.pus, problem.tree.height());
    return mapper.take();
}

}  // namespace commmap::peers
