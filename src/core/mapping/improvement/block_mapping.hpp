#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/estimate/port_cost_state.hpp"
#include "core/mapping/problem/mapper.hpp"

namespace commmap {

/// Consecutive ranks, all that one node has.
struct RankBlock {
    RankId first;
    std::uint32_t size;
    NodeId node;
};

/// The blocks of a layout, in rank order. invalid_input when some node's ranks are not consecutive;
/// names it.
[[nodiscard]] Result<std::vector<RankBlock>> blocks_of(std::span<const NodeId> node_of_rank,
                                                       const Hct& hct);

/// Puts whole blocks of ranks on nodes: a program that takes rank / ranks-per-node for its node
/// stays right. Blocks change places only with blocks of the same size.
///
/// The blocks are mapped like ranks: they are the vertices of the quotient graph (messages between
/// two blocks are added up), and the nodes are the places, by tree_above_nodes(). What the true
/// placement costs is then looked at with cost().
class BlockMapping {
public:
    /// The node of each block.
    using Nodes = std::vector<NodeId>;

    /// @param blocks      as blocks_of() gives them
    /// @param rank0_node  no_id: block 0, which has rank 0, may move like any other; else the node
    /// that it is on and stays on
    /// @param steps  what is sent in each step of the run; none: steps are not known
    /// @param time   how the run time grows with the costs of the steps and of the whole run
    /// The graphs must outlive the object. Cost: O(entries + elements).
    BlockMapping(const CommGraph& graph, const Hct& hct, std::vector<RankBlock> blocks,
                 NodeId rank0_node, std::span<const StepGraph> steps = {}, RunTime time = {});
    BlockMapping(const BlockMapping&) = delete;  // run_ points into tree_
    BlockMapping& operator=(const BlockMapping&) = delete;
    BlockMapping(BlockMapping&&) = delete;
    BlockMapping& operator=(BlockMapping&&) = delete;
    ~BlockMapping() = default;

    /// Where they are now.
    [[nodiscard]] Nodes start() const;
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }

    struct Mapped {
        Nodes nodes;
        std::vector<std::string> notes;
        bool linear_instead = false;  ///< of the quotient graph, see Mapping
    };
    /// A mapper's answer for the quotient graph, or linear's as mapper.or_linear_in_plans says.
    /// Where blocks differ in size, those of one size take the nodes of that size in the tree's
    /// order, in the order in which the mapper put them there. Errors and notes are the mapper's.
    [[nodiscard]] Result<Mapped> map(const MapperInfo& mapper, const MapperOptions& options) const;

    /// The time by the ports above the nodes under Fig. 4's cost, rank by rank as port_cost() does:
    /// the quotient graph alone would take a block's ranks for one that sends everything itself.
    /// Cost: O(entries between blocks * depth), of all parts.
    [[nodiscard]] SearchObjective cost(const Nodes& nodes) const;

    /// Swaps blocks while cost() goes down, then kicks and again, as refine() does with ranks; all
    /// pairs where they are few, else pairs drawn at random. Deterministic. @return at most the
    /// start's cost(). Cost: as many cost() as `work` allows, or options.max_evaluations where it
    /// is not 0.
    [[nodiscard]] Nodes refine(const Nodes& start, const MapperOptions& options) const;

    /// The node of each rank.
    [[nodiscard]] std::vector<NodeId> node_of_rank(const Nodes& nodes) const;
    /// The nodes that a placement of this scenario's ranks has each block's first rank on. Blocks
    /// that do not fit there take nodes of their size, as in map().
    [[nodiscard]] Nodes nodes_of(Placement placement, const Hct& hct) const;

    /// Port visits that a refine() may make: about half a second.
    static constexpr std::uint64_t work = 100'000'000;

private:
    /// Blocks that may move, by their size.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> movable() const;
    [[nodiscard]] Nodes fitted(const Nodes& nodes) const;
    [[nodiscard]] PuId place_of(NodeId node) const { return tree_.node(node).first_pu; }
    double add_part(const PortTable& table, const Nodes& nodes, double weight,
                    double& sum_squares) const;

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
