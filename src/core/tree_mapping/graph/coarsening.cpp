// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/coarsening.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

#include "commmap/ids.hpp"

namespace commmap {
namespace {

/// Bit in the number of a vertex of which only some ranks are kept (Kept).
constexpr std::uint32_t in_part = 1U << 31U;
constexpr double many_alone = 0.25;
constexpr std::uint32_t degree_classes = 64;  // the last class has all larger degrees

/// Returns the vertices in the order of their degree classes, the lowest first, at random within a
/// class.
std::vector<std::uint32_t> visiting_order(const CsrGraph& graph, Random& random) {
    const std::uint32_t n = graph.num_vertices();
    std::vector<std::uint32_t> shuffled(n);
    std::iota(shuffled.begin(), shuffled.end(), 0U);
    shuffle(std::span(shuffled), random);
    const auto class_of = [&](std::uint32_t v) {
        return std::min(graph.first[v + 1] - graph.first[v], degree_classes - 1);
    };
    std::array<std::uint32_t, degree_classes + 1> next{};
    for (std::uint32_t v = 0; v < n; ++v) ++next[class_of(v) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(n);
    for (const std::uint32_t v : shuffled) order[next[class_of(v)]++] = v;
    return order;
}

/// Joins two vertices that stayed alone, if both have their heaviest edge to the same vertex. The
/// leaves of a star have no other neighbour to be joined with. Vertices without neighbours are
/// joined with each other.
void join_two_hops(const CsrGraph& graph, std::uint32_t max_size,
                   std::span<const std::uint32_t> labels, std::vector<std::uint32_t>& partner) {
    const std::uint32_t n = graph.num_vertices();
    std::vector<std::uint32_t> beside(n + 1, no_id);  // by vertex, a lone vertex beside it
    for (std::uint32_t v = 0; v < n; ++v) {
        if (partner[v] != v) continue;
        std::uint32_t between = n;
        float heaviest = 0.0F;
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            if (graph.weights[i] <= heaviest) continue;
            heaviest = graph.weights[i];
            between = graph.neighbours[i];
        }
        std::uint32_t& other = beside[between];
        if (other != no_id && (labels.empty() || labels[other] == labels[v]) &&
            graph.sizes[other] + graph.sizes[v] <= max_size) {
            partner[v] = other;
            partner[other] = v;
            other = no_id;
        } else {
            other = v;
        }
    }
}

/// Returns for each vertex its partner, or the vertex itself if it stays alone.
std::vector<std::uint32_t> pairs_of(const CsrGraph& graph, std::uint32_t max_size, Random& random,
                                    std::span<const std::uint32_t> labels) {
    std::vector<std::uint32_t> partner(graph.num_vertices(), no_id);
    std::uint32_t alone = 0;
    for (const std::uint32_t v : visiting_order(graph, random)) {
        if (partner[v] != no_id) continue;
        std::uint32_t best = v;
        float heaviest = 0.0F;
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            if (graph.weights[i] > heaviest && partner[u] == no_id &&
                (labels.empty() || labels[u] == labels[v]) &&
                graph.sizes[u] + graph.sizes[v] <= max_size) {
                heaviest = graph.weights[i];
                best = u;
            }
        }
        partner[v] = best;
        partner[best] = v;
        if (best == v) ++alone;
    }
    if (alone > many_alone * graph.num_vertices()) join_two_hops(graph, max_size, labels, partner);
    return partner;
}

/// Makes a coarse graph row by row.
class Rows {
public:
    /// @param most_ends  bound of the number of ends of the coarse graph's edges
    /// @pre all arguments outlive the object
    Rows(const CsrGraph& fine, const std::vector<std::uint32_t>& coarse_of,
         std::uint32_t num_coarse, std::size_t most_ends, CsrGraph& coarse)
        : fine_(fine), coarse_of_(coarse_of), coarse_(coarse), place_of_(num_coarse, 0) {
        coarse_.first.reserve(num_coarse + 1);
        coarse_.sizes.reserve(num_coarse);
        coarse_.neighbours.reserve(most_ends);
        coarse_.weights.reserve(most_ends);
    }

    /// Makes the next coarse vertex: all these vertices become one.
    void join(std::span<const std::uint32_t> vertices) {
        make_room(vertices);
        const std::uint32_t c = coarse_of_[vertices.front()];
        row_[0] = c;
        place_of_[c] = 0;
        length_ = 1;
        weights_[1] = 0.0F;
        std::uint32_t size = 0;
        for (const std::uint32_t v : vertices) {
            add(v);
            size += fine_.sizes[v];
        }
        const std::size_t length = length_ - 1;
        open(length);
        std::copy_n(row_.data() + 1, length, coarse_.neighbours.data() + ends_);
        std::copy_n(weights_.data() + 1, length, coarse_.weights.data() + ends_);
        end_row(length, size);
    }

    /// Copies vertex c of another graph as the next coarse vertex, without the neighbours that are
    /// not kept.
    /// @return  false: a neighbour is kept only in part, and nothing has been made
    bool copy(const CsrGraph& graph, std::uint32_t c, const Kept& kept) {
        const std::span<const std::uint32_t> neighbours = graph.neighbours_of(c);
        const std::span<const float> weights = graph.weights_of(c);
        open(neighbours.size());
        std::uint32_t* const to = coarse_.neighbours.data() + ends_;
        float* const weight = coarse_.weights.data() + ends_;
        std::size_t length = 0;
        std::uint32_t any_in_part = 0;
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const std::uint32_t number = kept[neighbours[i]];
            const bool is_kept = number != no_id;
            to[length] = number;
            weight[length] = weights[i];
            any_in_part |= is_kept ? number : 0U;
            length += static_cast<std::size_t>(is_kept);
        }
        if ((any_in_part & in_part) != 0) return false;
        end_row(length, graph.sizes[c]);
        return true;
    }

    /// Ends the graph. Call it after the last vertex.
    void end() {
        coarse_.neighbours.resize(ends_);
        coarse_.weights.resize(ends_);
    }

private:
    /// Makes room for a row. Memory is touched a piece at a time, because most of the reserved
    /// memory is never used.
    void open(std::size_t length) {
        if (ends_ + length <= coarse_.neighbours.size()) return;
        constexpr std::size_t piece = 4096;
        const std::size_t size = std::max(
            ends_ + length, std::min(ends_ + length + piece, coarse_.neighbours.capacity()));
        coarse_.neighbours.resize(size);
        coarse_.weights.resize(size);
    }

    void end_row(std::size_t length, std::uint32_t size) {
        ends_ += length;
        coarse_.first.push_back(static_cast<std::uint32_t>(ends_));
        coarse_.sizes.push_back(size);
    }

    void make_room(std::span<const std::uint32_t> vertices) {
        std::size_t most = 2;
        for (const std::uint32_t v : vertices) most += fine_.neighbours_of(v).size();
        if (row_.size() >= most) return;
        row_.resize(2 * most);
        weights_.resize(2 * most);
    }

    void add(std::uint32_t v) {
        const std::span<const std::uint32_t> neighbours = fine_.neighbours_of(v);
        const std::span<const float> weights = fine_.weights_of(v);
        std::uint32_t length = length_;
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const std::uint32_t to = coarse_of_[neighbours[i]];
            // The code has no branches, which would be unpredictable. The place behind the last
            // entry always has weight 0, so that a new entry may begin there.
            const std::uint32_t last = place_of_[to];
            const bool known = (last < length) & (row_[last] == to);
            const std::uint32_t place = known ? last : length;
            row_[place] = to;
            weights_[place] += weights[i];
            place_of_[to] = place;
            length += static_cast<std::uint32_t>(!known);
            weights_[length] = 0.0F;
        }
        length_ = length;
    }

    const CsrGraph& fine_;
    const std::vector<std::uint32_t>& coarse_of_;
    CsrGraph& coarse_;
    std::size_t ends_ = 0;
    std::vector<std::uint32_t> place_of_;  ///< by coarse vertex, its index in row_
    std::vector<std::uint32_t> row_;       ///< the coarse vertex itself, then its neighbours
    std::vector<float> weights_;
    std::uint32_t length_ = 0;
};

}  // namespace

Coarsened coarsen(const CsrGraph& graph, std::uint32_t max_size, Random& random,
                  std::span<const std::uint32_t> labels) {
    const std::vector<std::uint32_t> partner = pairs_of(graph, max_size, random, labels);
    const std::uint32_t n = graph.num_vertices();
    Coarsened result;
    result.coarse_of.resize(n);
    std::uint32_t count = 0;
    for (std::uint32_t v = 0; v < n; ++v)
        if (partner[v] >= v) result.coarse_of[v] = result.coarse_of[partner[v]] = count++;
    Rows rows(graph, result.coarse_of, count, graph.neighbours.size(), result.graph);
    for (std::uint32_t v = 0; v < n; ++v) {
        const std::array<std::uint32_t, 2> pair{v, partner[v]};
        if (partner[v] >= v) rows.join(std::span(pair).first(partner[v] == v ? 1 : 2));
    }
    rows.end();
    return result;
}

Coarsened coarsen_twice(const CsrGraph& graph, std::uint32_t max_size, Random& random) {
    Coarsened once = coarsen(graph, max_size, random);
    Coarsened twice = coarsen(once.graph, max_size, random);
    for (std::uint32_t& c : once.coarse_of) c = twice.coarse_of[c];
    return {std::move(twice.graph), std::move(once.coarse_of)};
}

Coarsened coarsened_part(const Coarsened& whole, const CsrGraph& part, Kept& kept) {
    const CsrGraph& graph = whole.graph;
    assert(graph.num_vertices() < in_part && "too many vertices");
    Coarsened result;
    result.coarse_of.resize(part.num_vertices());
    Kept coarse(graph.num_vertices(), no_id);
    std::vector<std::uint32_t> origin;  // by new coarse vertex, the whole graph's coarse vertex
    origin.reserve(std::min(part.num_vertices(), graph.num_vertices()));
    std::vector<std::uint32_t> sizes;  // by new coarse vertex, the ranks that are kept
    std::vector<std::uint32_t> next{0};
    for (std::uint32_t v = 0; v < kept.size(); ++v) {
        if (kept[v] == no_id) continue;
        const std::uint32_t c = whole.coarse_of[v];
        const std::uint32_t fine = kept[v] & ~in_part;
        if (coarse[c] == no_id) {
            coarse[c] = static_cast<std::uint32_t>(origin.size());
            origin.push_back(c);
            sizes.push_back(0);
            next.push_back(0);
        }
        result.coarse_of[fine] = coarse[c];
        sizes[coarse[c]] += part.sizes[fine];
        ++next[coarse[c] + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> members(part.num_vertices());
    for (std::uint32_t fine = 0; fine < members.size(); ++fine)
        members[next[result.coarse_of[fine]]++] = fine;
    std::size_t ends = 0;
    for (std::uint32_t number = 0; number < origin.size(); ++number) {
        if (sizes[number] != graph.sizes[origin[number]]) coarse[origin[number]] |= in_part;
        ends += graph.neighbours_of(origin[number]).size();
    }
    Rows rows(part, result.coarse_of, static_cast<std::uint32_t>(origin.size()), ends,
              result.graph);
    for (std::uint32_t number = 0; number < origin.size(); ++number) {
        const std::uint32_t c = origin[number];
        const std::size_t begin = number == 0 ? 0 : next[number - 1];
        if ((coarse[c] & in_part) != 0 || !rows.copy(graph, c, coarse))
            rows.join(std::span(members).subspan(begin, next[number] - begin));
    }
    rows.end();
    kept = std::move(coarse);
    return result;
}

}  // namespace commmap
