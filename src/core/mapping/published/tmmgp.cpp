// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/tmmgp.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/base/random.hpp"
#include "core/mapping/construction/metis_partition.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/rank0.hpp"
#include "core/mapping/problem/undirected_graph.hpp"
#include "core/mapping/published/subset_refinement.hpp"
#include "core/mapping/published/task_graph.hpp"

namespace commmap {

namespace {

constexpr std::size_t vertices_per_subset = 10;  // of the coarsest graph; the paper's M' <= 10 k
constexpr double enough_joined = 0.95;  // coarsening stops where matching leaves more vertices

/// The PUs of an element of the lowest level, Khoroshevsky's C_Lk.
using ElementPus = std::span<const PuId>;

/// Adds the lowest elements below an element, from left to right.
void add_lowest_elements(const PuCounter& counter, ElementId element,
                         std::vector<ElementPus>& lowest) {
    element = counter.next_choice(element);
    const std::vector<ElementId> children = counter.children(element);
    if (children.empty() || children.size() == counter.count(element)) {
        lowest.push_back(counter.below(element));
        return;
    }
    for (const ElementId child : children) add_lowest_elements(counter, child, lowest);
}

/// Returns the lowest elements on which the mapper linear puts ranks.
std::vector<ElementPus> needed_elements(const MappingProblem& problem, const PuCounter& counter) {
    std::vector<ElementPus> lowest;
    add_lowest_elements(counter, 0, lowest);
    const std::vector<PuId> used = used_pus(problem);
    std::erase_if(lowest, [&](const ElementPus& pus) {
        const auto first = std::lower_bound(used.begin(), used.end(), pus.front());
        return first == used.end() || *first > pus.back();
    });
    return lowest;
}

/// Returns b_z(p, q): the slowest port between two PUs, in either direction.
double bandwidth_between(const Hct& hct, PuId p, PuId q, double length_bytes) {
    double slowest = std::numeric_limits<double>::infinity();
    const auto look_at = [&](ElementId e) {
        for (const Channel* channel : {&hct.port(e).out, &hct.port(e).in}) {
            slowest = std::min(
                {slowest, channel->bandwidth.at(length_bytes), channel->max_bandwidth_bytes_per_s});
        }
    };
    hct.for_each_port(p, q, look_at, look_at);
    return slowest;
}

/// Returns W: by two subsets, the seconds for a byte between their elements.
std::vector<double> seconds_per_byte(const MappingProblem& problem,
                                     std::span<const ElementPus> elements) {
    const std::uint64_t messages = problem.graph.total_count();
    const double length_bytes = messages == 0 ? 0.0
                                              : static_cast<double>(problem.graph.total_bytes()) /
                                                    static_cast<double>(messages);
    const std::size_t k = elements.size();
    std::vector<double> seconds(k * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = i + 1; j < k; ++j) {
            const double w = 1.0 / bandwidth_between(problem.hct, elements[i].front(),
                                                     elements[j].front(), length_bytes);
            seconds[i * k + j] = seconds[j * k + i] = w;
        }
    }
    return seconds;
}

/// Returns the coarse graphs G_1, G_2, ..., G_m (Fig. 2, lines 4 - 6).
std::vector<CoarseTaskGraph> coarse_graphs(const TaskGraph& finest, std::size_t few_vertices,
                                           std::uint32_t most_processes, std::uint64_t seed) {
    std::vector<CoarseTaskGraph> graphs;
    Random random(seed);
    const TaskGraph* last = &finest;
    while (last->num_vertices() > few_vertices) {
        std::vector<std::uint32_t> order(last->num_vertices());
        std::iota(order.begin(), order.end(), 0U);
        shuffle(std::span(order), random);
        CoarseTaskGraph next = heavy_edge_matching(*last, order, most_processes);
        const bool stuck = static_cast<double>(next.graph.num_vertices()) >
                           enough_joined * static_cast<double>(last->num_vertices());
        if (stuck) break;
        graphs.push_back(std::move(next));
        last = &graphs.back().graph;
    }
    return graphs;
}

/// Returns the subset of each process: step 1 of the algorithm.
Result<std::vector<std::uint32_t>> subsets_of(const MappingProblem& problem,
                                              std::span<const ElementPus> elements,
                                              const MapperOptions& options) {
    const std::size_t k = elements.size();
    std::vector<std::uint32_t> capacity;
    for (const ElementPus& pus : elements)
        capacity.push_back(static_cast<std::uint32_t>(pus.size()));
    const TaskGraph finest{undirected_graph(problem.graph),  // G_0
                           std::vector<std::uint32_t>(problem.graph.num_ranks(), 1)};
    const auto graphs =
        coarse_graphs(finest, vertices_per_subset * k,
                      *std::max_element(capacity.begin(), capacity.end()), options.seed);
    const TaskGraph& coarsest = graphs.empty() ? finest : graphs.back().graph;
    auto subset_of = metis_bisections(coarsest.edges, coarsest.processes, capacity, options.seed);
    if (!subset_of) return subset_of.error();
    std::vector<std::uint32_t> partition = std::move(subset_of).value();
    const std::vector<double> weights = seconds_per_byte(problem, elements);
    for (std::size_t level = graphs.size();; --level) {
        if (options.deadline.passed()) return Error{Errc::timed_out, "no time left"};
        const TaskGraph& graph = level == 0 ? finest : graphs[level - 1].graph;
        refine_subsets({graph, weights, capacity}, partition);
        if (level == 0) return partition;
        std::vector<std::uint32_t> projected;
        for (const std::uint32_t coarse : graphs[level - 1].coarse_of)
            projected.push_back(partition[coarse]);
        partition = std::move(projected);
    }
}

}  // namespace

Result<std::vector<PuId>> tmmgp_placement(const MappingProblem& problem,
                                          const MapperOptions& options) {
    const std::size_t num_ranks = problem.graph.num_ranks();
    const PuCounter counter(problem.hct, problem.candidate_pus);
    if (num_ranks == 0) return std::vector<PuId>();
    const std::vector<ElementPus> elements = needed_elements(problem, counter);
    if (num_ranks * elements.size() > max_gains) {
        return Error{
            Errc::out_of_range,
            fmt::format(
                "mapper tmmgp keeps a gain for each rank and element: {} times {} is more than {}",
                num_ranks, elements.size(), max_gains)};
    }
    // METIS needs edges. Without edges, or with one subset, any placement is as good.
    if (elements.size() == 1 || problem.graph.num_entries() == 0) return used_pus(problem);
    const auto subset_of = subsets_of(problem, elements, options);
    if (!subset_of) return subset_of.error();
    // Step 2: the processes of subset k take PUs from the paper's queue C[k].
    std::vector<std::size_t> taken(elements.size(), 0);
    std::vector<PuId> pu_of_rank;
    for (const std::uint32_t subset : subset_of.value())
        pu_of_rank.push_back(elements[subset][taken[subset]++]);
    return pu_of_rank;
}

Result<Mapping> map_tmmgp(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto placement = tmmgp_placement(problem, options);
    if (!placement) return placement.error();
    Mapping mapping{std::move(placement).value(), {}};
    put_rank0_by_one_swap(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
