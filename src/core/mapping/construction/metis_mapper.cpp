// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/metis_mapper.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <string>

#include "core/base/random.hpp"
#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/rank0.hpp"
#include "core/mapping/problem/undirected_graph.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/partition/part_refinement.hpp"

namespace commmap {

namespace {

constexpr unsigned attempts = 3;
constexpr unsigned attempts_in_large_jobs = 2;
constexpr std::size_t attempts_limit =
    4096;  ///< ranks: above this number one attempt takes long enough
constexpr std::size_t attempts_from =
    512;  ///< ranks of a part of a larger job: smaller parts lie inside nodes or switches, which
          ///< are seldom the busiest
constexpr std::size_t most_parts = 128;

/// Returns the largest cut weight of a part: F (5) of Khoroshevsky and Kurnosov with W = 1.
double worst_cut(const WeightedGraph& graph, std::span<const std::uint32_t> part,
                 std::size_t num_parts) {
    std::vector<double> cut(num_parts, 0.0);
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            if (part[graph.neighbours[i]] != part[v]) {
                cut[part[v]] += static_cast<double>(graph.weights[i]);
            }
        }
    }
    return *std::max_element(cut.begin(), cut.end());
}

class Multilevel {
public:
    Multilevel(const MappingProblem& problem, std::uint64_t seed, const Deadline& deadline)
        : hct_(problem.hct),
          graph_(undirected_graph(problem.graph)),
          used_(used_pus(problem)),
          counter_(hct_, used_),
          random_(seed),
          deadline_(deadline),
          local_(problem.graph.num_ranks(), no_id),
          pu_of_rank_(problem.graph.num_ranks(), no_id) {}

    Result<std::vector<PuId>> run() {
        std::vector<RankId> ranks(pu_of_rank_.size());
        for (RankId r = 0; r < ranks.size(); ++r) ranks[r] = r;
        if (!ranks.empty()) {
            if (const Status ok = place(0, ranks); !ok) return ok.error();
        }
        return std::move(pu_of_rank_);
    }

private:
    Status place(ElementId element, const std::vector<RankId>& ranks) {
        element = counter_.next_choice(element);
        const std::span<const PuId> below = counter_.below(element);
        assert(below.size() == ranks.size() && "a part does not fit its element");
        const std::vector<ElementId> children = counter_.children(element);
        if (children.size() == below.size() || children.empty()) {  // a candidate PU each
            for (std::size_t i = 0; i < ranks.size(); ++i) pu_of_rank_[ranks[i]] = below[i];
            return Ok{};
        }
        return place_below(children, ranks);
    }

    /// Divides ranks among children. More than most_parts children are first joined in runs,
    /// because METIS needs time for each part.
    Status place_below(std::span<const ElementId> children, const std::vector<RankId>& ranks) {
        const std::size_t run = (children.size() + most_parts - 1) / most_parts;
        std::vector<std::uint32_t> sizes;
        for (std::size_t c = 0; c < children.size(); ++c) {
            if (c % run == 0) sizes.push_back(0);
            sizes.back() += counter_.count(children[c]);
        }
        const auto part = partition(ranks, sizes);
        if (!part) return part.error();
        std::vector<std::vector<RankId>> of_part(sizes.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            of_part[part.value()[i]].push_back(ranks[i]);
        }
        for (std::size_t p = 0; p < sizes.size(); ++p) {
            const auto together =
                children.subspan(p * run, std::min(run, children.size() - p * run));
            const Status ok = together.size() == 1 ? place(together.front(), of_part[p])
                                                   : place_below(together, of_part[p]);
            if (!ok) return ok.error();
        }
        return Ok{};
    }

    Result<Parts> partition(const std::vector<RankId>& ranks,
                            const std::vector<std::uint32_t>& sizes) {
        const WeightedGraph graph = induced(ranks);
        if (graph.neighbours.empty()) return in_order(sizes);
        const CsrGraph whole_weights(graph);
        const PartRefinement::Problem problem{whole_weights, sizes, 0, Potential::linear(1.0)};
        Parts best;
        double best_cut = 0.0;
        const unsigned tries = attempts_for(ranks.size());
        for (unsigned t = 0; t < tries; ++t) {
            if (deadline_.passed()) return Error{Errc::timed_out, "no time left"};
            auto part = metis_partition(graph, sizes, random_.next());
            if (!part) return part.error();
            refinement_.fill_exactly(problem, part.value());
            const double cut = worst_cut(graph, part.value(), sizes.size());
            if (best.empty() || cut < best_cut) {
                best = std::move(part).value();
                best_cut = cut;
            }
        }
        return best;
    }

    [[nodiscard]] unsigned attempts_for(std::size_t num_vertices) const {
        if (pu_of_rank_.size() <= attempts_limit) return attempts;
        return num_vertices >= attempts_from && num_vertices <= attempts_limit
                   ? attempts_in_large_jobs
                   : 1;
    }

    /// Returns blocks of ranks in order, for a graph without edges.
    static Parts in_order(const std::vector<std::uint32_t>& sizes) {
        Parts part;
        for (std::uint32_t p = 0; p < sizes.size(); ++p) part.insert(part.end(), sizes[p], p);
        return part;
    }

    WeightedGraph induced(const std::vector<RankId>& ranks) {
        for (std::uint32_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = i;
        WeightedGraph graph;
        graph.first.reserve(ranks.size() + 1);
        for (const RankId rank : ranks) {
            for (std::size_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
                const std::uint32_t neighbour = local_[graph_.neighbours[i]];
                if (neighbour == no_id) continue;
                graph.neighbours.push_back(neighbour);
                graph.weights.push_back(graph_.weights[i]);
            }
            graph.first.push_back(graph.neighbours.size());
        }
        for (const RankId rank : ranks) local_[rank] = no_id;
        return graph;
    }

    const Hct& hct_;
    WeightedGraph graph_;
    std::vector<PuId> used_;
    PuCounter counter_;
    Random random_;
    PartRefinement refinement_;
    Deadline deadline_;
    std::vector<std::uint32_t> local_;  ///< scratch of induced(): vertex of each rank, or no_id
    std::vector<PuId> pu_of_rank_;
};

}  // namespace

Result<std::vector<PuId>> metis_placement(const MappingProblem& problem, std::uint64_t seed,
                                          const Deadline& deadline) {
    return Multilevel(problem, seed, deadline).run();
}

Result<Mapping> map_metis(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto placement = metis_placement(problem, options.seed, options.deadline);
    if (!placement && placement.error().code == Errc::timed_out) return placement.error();
    if (!placement) {
        auto instead = map_greedy(problem, options);
        if (instead) {
            auto& notes = instead.value().notes;
            notes.insert(
                notes.begin(),
                fmt::format("METIS failed ({}): the placement of the mapper greedy is used",
                            placement.error().message));
        }
        return instead;
    }
    Mapping mapping{std::move(placement).value(), {}};
    put_rank0(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
