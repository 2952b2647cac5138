#include "core/mapping/multilevel.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "core/mapping/greedy.hpp"
#include "core/mapping/linear.hpp"
#include "core/mapping/random.hpp"
#include "core/mapping/rank0.hpp"
#include "core/mapping/rank_graph.hpp"
#include "core/mapping/slots.hpp"

namespace commmap {

namespace {

constexpr unsigned attempts = 3;
constexpr std::size_t attempts_limit =
    4096;  ///< vertices; above it the one partition takes long enough

/// Largest cut weight of a part, the paper's F with W = 1.
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
    Multilevel(const MappingProblem& problem, std::uint64_t seed)
        : hct_(problem.hct),
          graph_(problem.graph),
          used_(used_slots(problem)),
          slots_(hct_, used_),
          random_(seed),
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
        element = slots_.next_choice(element);
        const std::span<const PuId> below = slots_.below(element);
        assert(below.size() == ranks.size() && "a part does not fit its element");
        const std::vector<ElementId> children = slots_.children(element);
        if (children.size() == below.size() || children.empty()) {  // PUs, or single slots
            for (std::size_t i = 0; i < ranks.size(); ++i) pu_of_rank_[ranks[i]] = below[i];
            return Ok{};
        }
        std::vector<std::uint32_t> sizes;
        sizes.reserve(children.size());
        for (const ElementId child : children) sizes.push_back(slots_.count(child));
        const auto part = partition(ranks, sizes);
        if (!part) return part.error();
        std::vector<std::vector<RankId>> of_child(children.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            of_child[part.value()[i]].push_back(ranks[i]);
        }
        for (std::size_t c = 0; c < children.size(); ++c) {
            if (const Status ok = place(children[c], of_child[c]); !ok) return ok.error();
        }
        return Ok{};
    }

    Result<std::vector<std::uint32_t>> partition(const std::vector<RankId>& ranks,
                                                 const std::vector<std::uint32_t>& sizes) {
        const WeightedGraph graph = induced(ranks);
        if (graph.neighbours.empty()) return in_order(sizes);
        std::vector<std::uint32_t> best;
        double best_cut = 0.0;
        const unsigned tries = ranks.size() <= attempts_limit ? attempts : 1;
        for (unsigned t = 0; t < tries; ++t) {
            auto part = metis_partition(graph, sizes, random_.next());
            if (!part) return part.error();
            repair_sizes(graph, sizes, part.value());
            const double cut = worst_cut(graph, part.value(), sizes.size());
            if (best.empty() || cut < best_cut) {
                best = std::move(part).value();
                best_cut = cut;
            }
        }
        return best;
    }

    /// Nothing to cut: blocks of ranks in order.
    static std::vector<std::uint32_t> in_order(const std::vector<std::uint32_t>& sizes) {
        std::vector<std::uint32_t> part;
        for (std::uint32_t p = 0; p < sizes.size(); ++p) part.insert(part.end(), sizes[p], p);
        return part;
    }

    WeightedGraph induced(const std::vector<RankId>& ranks) {
        for (std::uint32_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = i;
        WeightedGraph graph;
        graph.first.reserve(ranks.size() + 1);
        for (const RankId rank : ranks) {
            for (const RankGraph::Edge& edge : graph_.edges_of(rank)) {
                if (local_[edge.peer] == no_id) continue;
                graph.neighbours.push_back(local_[edge.peer]);
                graph.weights.push_back(edge.bytes);
            }
            graph.first.push_back(graph.neighbours.size());
        }
        for (const RankId rank : ranks) local_[rank] = no_id;
        return graph;
    }

    const Hct& hct_;
    RankGraph graph_;
    std::vector<PuId> used_;
    SlotCounter slots_;
    Random random_;
    std::vector<std::uint32_t> local_;  ///< vertex of a rank in the subgraph at hand
    std::vector<PuId> pu_of_rank_;
};

}  // namespace

void repair_sizes(const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes,
                  std::span<std::uint32_t> part) {
    std::vector<std::int64_t> excess(part_sizes.size(), 0);
    for (std::size_t p = 0; p < part_sizes.size(); ++p) {
        excess[p] = -static_cast<std::int64_t>(part_sizes[p]);
    }
    for (const std::uint32_t p : part) ++excess[p];
    std::vector<double> weight_to(part_sizes.size(), 0.0);
    while (std::any_of(excess.begin(), excess.end(), [](std::int64_t x) { return x > 0; })) {
        double best_gain = 0.0;
        std::size_t best_vertex = part.size();
        std::uint32_t best_part = 0;
        for (std::size_t v = 0; v < part.size(); ++v) {
            if (excess[part[v]] <= 0) continue;
            std::fill(weight_to.begin(), weight_to.end(), 0.0);
            for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                weight_to[part[graph.neighbours[i]]] += static_cast<double>(graph.weights[i]);
            }
            for (std::uint32_t p = 0; p < excess.size(); ++p) {
                const double gain = weight_to[p] - weight_to[part[v]];
                if (excess[p] < 0 && (best_vertex == part.size() || gain > best_gain)) {
                    best_gain = gain;
                    best_vertex = v;
                    best_part = p;
                }
            }
        }
        assert(best_vertex < part.size() && "sizes do not add up to the number of vertices");
        --excess[part[best_vertex]];
        ++excess[best_part];
        part[best_vertex] = best_part;
    }
}

Result<std::vector<PuId>> multilevel_placement(const MappingProblem& problem, std::uint64_t seed) {
    return Multilevel(problem, seed).run();
}

Result<Mapping> map_multilevel(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto placement = multilevel_placement(problem, options.seed);
    if (!placement) {
        auto instead = map_greedy(problem, options);
        if (instead) {
            auto& notes = instead.value().notes;
            notes.insert(notes.begin(),
                         "METIS failed (" + placement.error().message + "): used greedy");
        }
        return instead;
    }
    Mapping mapping{std::move(placement).value(), {}};
    put_rank0(problem, mapping.pu_of_rank);
    fall_back_to_linear(problem, "multilevel", mapping);
    return mapping;
}

}  // namespace commmap
