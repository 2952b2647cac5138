#include "core/mapping/construction/metis_mapper.hpp"

#include <algorithm>
#include <cassert>
#include <queue>
#include <string>

#include "core/base/random.hpp"
#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/rank0.hpp"
#include "core/mapping/problem/undirected_graph.hpp"

namespace commmap {

namespace {

constexpr unsigned attempts = 3;
constexpr unsigned attempts_in_large_jobs = 2;
constexpr std::size_t attempts_limit =
    4096;  ///< ranks; above it the one partition takes long enough
constexpr std::size_t attempts_from =
    512;  ///< ranks of a part of a larger job: smaller parts are inside nodes or switches that are
          ///< seldom the busiest
constexpr std::size_t most_parts = 128;

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
        if (children.size() == below.size() || children.empty()) {  // PUs, or single candidate PUs
            for (std::size_t i = 0; i < ranks.size(); ++i) pu_of_rank_[ranks[i]] = below[i];
            return Ok{};
        }
        return place_below(children, ranks);
    }

    /// Many children are first taken together in runs: METIS needs time for each part.
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

    Result<std::vector<std::uint32_t>> partition(const std::vector<RankId>& ranks,
                                                 const std::vector<std::uint32_t>& sizes) {
        const WeightedGraph graph = induced(ranks);
        if (graph.neighbours.empty()) return in_order(sizes);
        std::vector<std::uint32_t> best;
        double best_cut = 0.0;
        const unsigned tries = attempts_for(ranks.size());
        for (unsigned t = 0; t < tries; ++t) {
            if (deadline_.passed()) return Error{Errc::timed_out, "no time left"};
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

    [[nodiscard]] unsigned attempts_for(std::size_t num_vertices) const {
        if (pu_of_rank_.size() <= attempts_limit) return attempts;
        return num_vertices >= attempts_from && num_vertices <= attempts_limit
                   ? attempts_in_large_jobs
                   : 1;
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
    Deadline deadline_;
    std::vector<std::uint32_t> local_;  ///< vertex of a rank in the subgraph at hand
    std::vector<PuId> pu_of_rank_;
};

}  // namespace

namespace {

/// Moves vertices out of parts that are too large, the cheapest first. A heap of each vertex's best
/// move, brought up to date when it comes to the top: with thousands of parts a fresh look at every
/// vertex and part per move would take longer than the partitioning.
class SizeRepair {
public:
    SizeRepair(const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes,
               std::span<std::uint32_t> part)
        : graph_(graph),
          part_(part),
          excess_(part_sizes.size(), 0),
          weight_to_(part_sizes.size(), 0.0) {
        for (std::size_t p = 0; p < part_sizes.size(); ++p) {
            excess_[p] = -static_cast<std::int64_t>(part_sizes[p]);
        }
        for (const std::uint32_t p : part) ++excess_[p];
        for (const std::int64_t x : excess_) to_move_ += x > 0 ? x : 0;
    }

    void run() {
        for (std::uint32_t v = 0; to_move_ > 0 && v < part_.size(); ++v) offer(v);
        while (to_move_ > 0) {
            assert(!moves_.empty() && "sizes do not add up to the number of vertices");
            const Move move = moves_.top();
            moves_.pop();
            if (excess_[part_[move.vertex]] <= 0) continue;
            const Move now = best_move(move.vertex);
            if (now.gain != move.gain ||
                now.part != move.part) {  // its neighbours or parts changed
                moves_.push(now);
                continue;
            }
            --excess_[part_[now.vertex]];
            ++excess_[now.part];
            part_[now.vertex] = now.part;
            --to_move_;
            // A neighbour's gain towards this part grew: its old entry stands too low.
            for (std::size_t i = graph_.first[now.vertex]; i < graph_.first[now.vertex + 1]; ++i) {
                offer(static_cast<std::uint32_t>(graph_.neighbours[i]));
            }
        }
    }

private:
    struct Move {
        double gain;
        std::uint32_t vertex;
        std::uint32_t part;
        bool operator<(
            const Move& other) const {  // the top of the heap: most gain, then lowest vertex
            return gain != other.gain ? gain < other.gain : vertex > other.vertex;
        }
    };

    void offer(std::uint32_t vertex) {
        if (excess_[part_[vertex]] > 0) moves_.push(best_move(vertex));
    }

    /// @pre some part has room. Parts without an edge to the vertex are alike: the first with room
    /// stands for them.
    Move best_move(std::uint32_t vertex) {
        const std::size_t begin = graph_.first[vertex];
        const std::size_t end = graph_.first[vertex + 1];
        for (std::size_t i = begin; i < end; ++i) {
            weight_to_[part_[graph_.neighbours[i]]] += static_cast<double>(graph_.weights[i]);
        }
        while (excess_[first_with_room_] >= 0) ++first_with_room_;  // parts only fill up
        const double stay = weight_to_[part_[vertex]];
        Move best{weight_to_[first_with_room_] - stay, vertex, first_with_room_};
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t p = part_[graph_.neighbours[i]];
            const double gain = weight_to_[p] - stay;
            if (excess_[p] < 0 && (gain > best.gain || (gain == best.gain && p < best.part))) {
                best = {gain, vertex, p};
            }
        }
        for (std::size_t i = begin; i < end; ++i) weight_to_[part_[graph_.neighbours[i]]] = 0.0;
        return best;
    }

    const WeightedGraph& graph_;
    std::span<std::uint32_t> part_;
    std::vector<std::int64_t> excess_;
    std::vector<double> weight_to_;  ///< scratch, all zero between calls
    std::priority_queue<Move> moves_;
    std::int64_t to_move_ = 0;
    std::uint32_t first_with_room_ = 0;
};

}  // namespace

void repair_sizes(const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes,
                  std::span<std::uint32_t> part) {
    SizeRepair(graph, part_sizes, part).run();
}

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
            notes.insert(notes.begin(),
                         "METIS failed (" + placement.error().message + "): used greedy");
        }
        return instead;
    }
    Mapping mapping{std::move(placement).value(), {}};
    put_rank0(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
