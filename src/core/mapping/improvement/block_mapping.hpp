// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/estimate/port_cost_state.hpp"
#include "core/mapping/problem/mapper.hpp"

namespace commmap {

/// A block: all ranks of one node, when they are consecutive.
struct RankBlock {
    RankId first;
    std::uint32_t size;
    NodeId node;
};

/// Finds the blocks of a layout, in rank order.
/// Errors: invalid_input when a node's ranks are not consecutive; the message names the node.
[[nodiscard]] Result<std::vector<RankBlock>> blocks_of(std::span<const NodeId> node_of_rank,
                                                       const Hct& hct);

/// Maps whole blocks of ranks to nodes. Programs that take rank / ranks-per-node for their node
/// number stay right that way. Blocks change places only with blocks of the same size.
///
/// Blocks are mapped as ranks are: they are the vertices of the quotient graph, in which the
/// messages between two blocks are added up. The nodes are the places (tree_above_nodes()). cost()
/// then judges the placement of the ranks.
class BlockMapping {
public:
    /// The node of each block.
    using Nodes = std::vector<NodeId>;

    /// @param graph       traffic between the ranks
    /// @param blocks      as blocks_of() gives them
    /// @param rank0_node  no_id: block 0, which has rank 0, may move as any other; else the node
    ///                    where block 0 is and stays
    /// @param steps       what is sent in each step of the run; empty: steps are not known
    /// @param time        how the run time grows with the costs of the steps and of the whole run
    /// The graphs must outlive the object.
    /// Cost: O(entries + elements).
    BlockMapping(const CommGraph& graph, const Hct& hct, std::vector<RankBlock> blocks,
                 NodeId rank0_node, std::span<const StepGraph> steps = {}, RunTime time = {});
    BlockMapping(const BlockMapping&) = delete;  // run_ points into tree_
    BlockMapping& operator=(const BlockMapping&) = delete;
    BlockMapping(BlockMapping&&) = delete;
    BlockMapping& operator=(BlockMapping&&) = delete;
    ~BlockMapping() = default;

    /// Returns the nodes of the blocks in the given layout.
    [[nodiscard]] Nodes start() const;
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }

    struct Mapped {
        Nodes nodes;
        std::vector<std::string> notes;
        /// linear's placement of the quotient graph was taken, see Mapping
        bool linear_instead = false;
    };
    /// Maps the quotient graph with a mapper. Takes linear's placement when that costs less and
    /// mapper.or_linear_in_plans is set. Where blocks differ in size, the blocks of one size share
    /// out the nodes of that size. The nodes are taken in tree order, the blocks in the order of
    /// the places that the mapper gave them.
    /// Errors and notes: the mapper's.
    [[nodiscard]] Result<Mapped> map(const MapperInfo& mapper, const MapperOptions& options) const;

    /// Costs of the ports above the nodes, as port_cost() has them (Sweeney's Fig. 4), with each
    /// rank's messages counted apart. In the quotient graph alone, a block would look like one rank
    /// that sends everything itself.
    /// Cost: O(entries between blocks * depth), for each part of the run.
    [[nodiscard]] SearchObjective cost(const Nodes& nodes) const;

    /// Swaps blocks as long as cost() falls, then kicks and starts again, as refine() does with
    /// ranks. Few pairs are all tried, else pairs are drawn at random.
    /// @return  its cost() is at most that of `start`
    /// Deterministic.
    /// Cost: as many cost() as `work` allows, or options.max_evaluations when that is not 0.
    [[nodiscard]] Nodes refine(const Nodes& start, const MapperOptions& options) const;

    /// Returns the node of each rank.
    [[nodiscard]] std::vector<NodeId> node_of_rank(const Nodes& nodes) const;
    /// Turns a placement of this scenario's ranks into nodes of blocks: each block goes to the node
    /// of its first rank. Blocks that do not fit there take nodes of their size, as in map().
    [[nodiscard]] Nodes nodes_of(Placement placement, const Hct& hct) const;

    /// The most port visits of one refine(): about half a second.
    static constexpr std::uint64_t work = 100'000'000;

private:
    /// Blocks that may move, grouped by size.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> movable() const;
    [[nodiscard]] Nodes fitted(const Nodes& nodes) const;
    [[nodiscard]] PuId place_of(NodeId node) const { return tree_.node(node).first_pu; }

    std::vector<RankBlock> blocks_;
    NodeId rank0_node_;
    Hct tree_;
    std::vector<std::uint32_t> block_of_rank_;
    CommGraph quotient_;
    RunCost run_;  ///< of the messages between blocks, rank by rank
    RunTime time_;
    std::uint64_t visits_ = 1;  ///< of ports, by one cost()
};

}  // namespace commmap
