// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/block_mapping.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/random.hpp"
#include "core/estimate/port_fold.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/topology/tree_cut.hpp"
#include "core/tree_mapping/moves/iterated_local_search.hpp"

namespace commmap {
namespace {

std::vector<std::uint32_t> block_of_each_rank(const std::vector<RankBlock>& blocks) {
    std::vector<std::uint32_t> block_of_rank;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        block_of_rank.insert(block_of_rank.end(), blocks[b].size, b);
    return block_of_rank;
}

/// Returns the messages between different blocks, as a graph of the blocks or of their ranks.
CommGraph graph_between(const CommGraph& graph, const std::vector<std::uint32_t>& block_of_rank,
                        bool of_blocks, std::size_t num_vertices) {
    std::vector<Message> messages;
    for (RankId rank = 0; rank < graph.num_ranks(); ++rank) {
        for (const Traffic& t : graph.sent_by(rank)) {
            const std::uint32_t from = block_of_rank[rank];
            const std::uint32_t to = block_of_rank[t.peer];
            if (from == to) continue;
            messages.push_back(
                {of_blocks ? from : rank, of_blocks ? to : t.peer, t.count, t.bytes});
        }
    }
    return {num_vertices, messages};
}

RunCost run_between(const CommGraph& graph, std::span<const StepGraph> steps,
                    const std::vector<std::uint32_t>& block_of_rank, const Hct& tree) {
    const auto between = [&](const CommGraph& part) {
        return graph_between(part, block_of_rank, false, part.num_ranks());
    };
    std::vector<StepGraph> steps_between;
    steps_between.reserve(steps.size());
    for (const StepGraph& step : steps)
        steps_between.push_back({between(step.graph), step.waits_per_message});
    auto whole =
        std::make_shared<const PortTable>(between(graph), tree, waits_per_message_of(steps));
    return {steps_between, std::move(whole), tree};
}

/// The pairs of blocks that may change places: blocks of one size.
class PairsOfBlocks {
public:
    PairsOfBlocks(std::vector<std::vector<std::uint32_t>> blocks_by_size, Random& random)
        : blocks_by_size_(std::move(blocks_by_size)), random_(random) {
        std::erase_if(blocks_by_size_, [](const auto& blocks) { return blocks.size() < 2; });
        for (const auto& blocks : blocks_by_size_) {
            num_pairs_ += std::uint64_t{blocks.size()} * (blocks.size() - 1) / 2;
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                size_of_.push_back(static_cast<std::uint32_t>(&blocks - blocks_by_size_.data()));
            }
        }
        if (num_pairs_ > most_listed) return;
        for (const auto& blocks : blocks_by_size_) {
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                for (std::size_t j = i + 1; j < blocks.size(); ++j)
                    listed_.emplace_back(blocks[i], blocks[j]);
            }
        }
    }

    /// Returns the number of tries in a row without an improvement after which the search ends; 0:
    /// no pair may change places.
    [[nodiscard]] std::uint64_t patience() const { return num_pairs_; }

    void mix() { shuffle(std::span(listed_), random_); }

    std::pair<std::uint32_t, std::uint32_t> next() {
        if (!listed_.empty()) {
            if (++last_ >= listed_.size()) last_ = 0;
            return listed_[last_];
        }
        const auto& blocks = blocks_by_size_[size_of_[random_.below(size_of_.size())]];
        const std::uint64_t i = random_.below(blocks.size());
        const std::uint64_t j = random_.below(blocks.size() - 1);
        return {blocks[i], blocks[j < i ? j : j + 1]};
    }

private:
    static constexpr std::uint64_t most_listed = std::uint64_t{1} << 20U;

    std::vector<std::vector<std::uint32_t>> blocks_by_size_;
    std::vector<std::uint32_t> size_of_;  ///< for each block that may move, the index of its list
    std::vector<std::pair<std::uint32_t, std::uint32_t>> listed_;
    std::uint64_t num_pairs_ = 0;
    std::size_t last_ = 0;
    Random& random_;
};

}  // namespace

Result<std::vector<RankBlock>> blocks_of(std::span<const NodeId> node_of_rank, const Hct& hct) {
    std::vector<RankBlock> blocks;
    std::vector<char> seen(hct.num_nodes(), 0);
    for (RankId rank = 0; rank < node_of_rank.size(); ++rank) {
        const NodeId node = node_of_rank[rank];
        if (!blocks.empty() && blocks.back().node == node) {
            ++blocks.back().size;
            continue;
        }
        if (seen[node] != 0) {
            return Error{Errc::invalid_input,
                         fmt::format("keep=blocks needs Slurm's layout in blocks, and the ranks on "
                                     "node {} are not consecutive",
                                     hct.node(node).name)};
        }
        seen[node] = 1;
        blocks.push_back({rank, 1, node});
    }
    return blocks;
}

BlockMapping::BlockMapping(const CommGraph& graph, const Hct& hct, std::vector<RankBlock> blocks,
                           NodeId rank0_node, std::span<const StepGraph> steps, RunTime time)
    : blocks_(std::move(blocks)),
      rank0_node_(rank0_node),
      tree_(tree_above_nodes(hct)),
      block_of_rank_(block_of_each_rank(blocks_)),
      quotient_(graph_between(graph, block_of_rank_, true, blocks_.size())),
      run_(run_between(graph, steps, block_of_rank_, tree_)),
      time_(std::move(time)) {
    assert(block_of_rank_.size() == graph.num_ranks() && "blocks are of all ranks");
    assert((rank0_node == no_id || blocks_.empty() || blocks_.front().node == rank0_node) &&
           "block 0 is where rank 0 stays");
    for (std::size_t part = 0; part < run_.num_parts(); ++part) {
        const PortTable& table = run_.part(part);
        for (RankId rank = 0; rank < table.num_ranks(); ++rank) {
            for (const PortTable::PeerMessages& m : table.sent_by(rank)) {
                const PuId from = place_of(blocks_[block_of_rank_[rank]].node);
                const PuId to = place_of(blocks_[block_of_rank_[m.peer]].node);
                table.for_each_port(from, to, [&](std::uint32_t) { ++visits_; });
            }
        }
    }
}

BlockMapping::Nodes BlockMapping::start() const {
    Nodes nodes;
    for (const RankBlock& block : blocks_) nodes.push_back(block.node);
    return nodes;
}

Result<BlockMapping::Mapped> BlockMapping::map(const MapperInfo& mapper,
                                               const MapperOptions& options) const {
    std::vector<PuId> candidate_pus;
    for (const RankBlock& block : blocks_) candidate_pus.push_back(place_of(block.node));
    std::sort(candidate_pus.begin(), candidate_pus.end());
    const MappingProblem problem{quotient_, tree_, candidate_pus, rank0_node_};
    auto mapping = mapper.map(problem, options);
    if (!mapping) return mapping.error();
    if (mapper.or_linear_in_plans) fall_back_to_linear(problem, mapping.value());
    Nodes nodes;
    for (const PuId pu : mapping.value().pu_of_rank) nodes.push_back(tree_.pu(pu).node);
    return Mapped{fitted(nodes), std::move(mapping.value().notes), mapping.value().linear_instead};
}

std::vector<std::vector<std::uint32_t>> BlockMapping::movable() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_size;
    for (std::uint32_t b = rank0_node_ == no_id ? 0 : 1; b < blocks_.size(); ++b)
        by_size[blocks_[b].size].push_back(b);
    std::vector<std::vector<std::uint32_t>> movable;
    movable.reserve(by_size.size());
    for (auto& [size, blocks] : by_size) movable.push_back(std::move(blocks));
    return movable;
}

BlockMapping::Nodes BlockMapping::fitted(const Nodes& nodes) const {
    Nodes fit = start();
    for (std::vector<std::uint32_t> blocks : movable()) {
        Nodes theirs;
        theirs.reserve(blocks.size());
        for (const std::uint32_t b : blocks) theirs.push_back(blocks_[b].node);
        std::sort(theirs.begin(), theirs.end(),
                  [&](NodeId a, NodeId b) { return place_of(a) < place_of(b); });
        std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
            return place_of(nodes[a]) < place_of(nodes[b]);
        });
        for (std::size_t i = 0; i < blocks.size(); ++i) fit[blocks[i]] = theirs[i];
    }
    return fit;
}

SearchObjective BlockMapping::cost(const Nodes& nodes) const {
    std::vector<PuId> place_of_rank;
    place_of_rank.reserve(block_of_rank_.size());
    for (const std::uint32_t block : block_of_rank_)
        place_of_rank.push_back(place_of(nodes[block]));
    SearchObjective objective;
    std::vector<double> parts_s(run_.num_parts(), 0.0);
    for (std::size_t part = 0; part < parts_s.size(); ++part) {
        const PortTable& table = run_.part(part);
        const double squared_weight = time_.weight(part) * time_.weight(part);
        std::vector<PortFold> ports(table.num_ports());
        for_each_task(table, place_of_rank, [&](std::uint32_t p, double time_s, double bytes) {
            ports[p].add(time_s, bytes, table.max_bandwidth_bytes_per_s(p));
        });
        for (const PortFold& port : ports) {
            parts_s[part] = std::max(parts_s[part], port.cost_s);
            objective.sum_squares += squared_weight * port.cost_s * port.cost_s;
        }
    }
    objective.time_s = time_.of(parts_s.data());
    return objective;
}

BlockMapping::Nodes BlockMapping::refine(const Nodes& start, const MapperOptions& options) const {
    Random random(options.seed);
    PairsOfBlocks pairs(movable(), random);
    std::uint64_t left = options.max_evaluations != 0
                             ? options.max_evaluations
                             : std::clamp<std::uint64_t>(work / visits_, 1, 20'000);
    if (pairs.patience() == 0 || quotient_.num_entries() == 0) return start;
    Nodes now = start;
    SearchObjective now_cost = cost(start);
    const auto descend = [&] {
        pairs.mix();
        for (std::size_t tried = 0;
             tried < pairs.patience() && left > 0 && !options.deadline.passed(); --left) {
            const auto [a, b] = pairs.next();
            std::swap(now[a], now[b]);
            const SearchObjective changed = cost(now);
            if (better(changed, now_cost)) {
                now_cost = changed;
                tried = 0;
            } else {
                std::swap(now[a], now[b]);
                ++tried;
            }
        }
    };
    descend();
    return iterated_local_search(
               CostedSolution<Nodes, SearchObjective>{now, now_cost}, {}, better,
               [&] { return left > 0 && !options.deadline.passed(); },
               [&](const Nodes& current, bool /*anew*/) {
                   now = current;
                   for (std::uint64_t kicks = 2 + random.below(4); kicks > 0; --kicks) {
                       const auto [a, b] = pairs.next();
                       std::swap(now[a], now[b]);
                   }
                   now_cost = cost(now);
                   --left;
                   descend();
                   return std::optional(CostedSolution<Nodes, SearchObjective>{now, now_cost});
               })
        .solution;
}

std::vector<NodeId> BlockMapping::node_of_rank(const Nodes& nodes) const {
    std::vector<NodeId> node_of_rank;
    node_of_rank.reserve(block_of_rank_.size());
    for (const std::uint32_t block : block_of_rank_) node_of_rank.push_back(nodes[block]);
    return node_of_rank;
}

BlockMapping::Nodes BlockMapping::nodes_of(Placement placement, const Hct& hct) const {
    Nodes nodes;
    for (const RankBlock& block : blocks_) nodes.push_back(hct.pu(placement[block.first]).node);
    return fitted(nodes);
}

}  // namespace commmap
