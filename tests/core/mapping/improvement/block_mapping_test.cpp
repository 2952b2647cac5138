// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/block_mapping.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

std::vector<NodeId> layout_of(const std::vector<RankBlock>& blocks) {
    std::vector<NodeId> layout;
    for (const RankBlock& block : blocks) layout.insert(layout.end(), block.size, block.node);
    return layout;
}

/// Every node of the tree in random order, with a random number of ranks that it has room for.
std::vector<RankBlock> random_blocks(const Hct& hct, std::mt19937& random) {
    std::vector<NodeId> nodes(hct.num_nodes());
    std::iota(nodes.begin(), nodes.end(), 0U);
    std::shuffle(nodes.begin(), nodes.end(), random);
    std::vector<RankBlock> blocks;
    RankId first = 0;
    for (const NodeId node : nodes) {
        const auto size =
            static_cast<std::uint32_t>(1 + random() % std::min(3U, hct.node(node).num_pus));
        blocks.push_back({first, size, node});
        first += size;
    }
    return blocks;
}

/// Six nodes of three PUs below two switches.
Hct six_nodes() {
    const Port link = sample_port(1e8, 1e3);
    const Port pu = sample_port(1e12);
    SampleElement left{Level::switch_, link, {}, "s1"};
    SampleElement right{Level::switch_, link, {}, "s2"};
    for (int i = 0; i < 3; ++i) {
        left.children.push_back(sample_node("a" + std::to_string(i), 3, link, pu));
        right.children.push_back(sample_node("b" + std::to_string(i), 3, link, pu));
    }
    return sample_hct({Level::switch_, {}, {left, right}, "s0"});
}

std::vector<PuId> placed(const Hct& hct, const std::vector<NodeId>& node_of_rank) {
    std::vector<std::uint32_t> taken(hct.num_nodes(), 0);
    std::vector<PuId> placement;
    for (const NodeId node : node_of_rank)
        placement.push_back(hct.node(node).first_pu + taken[node]++);
    return placement;
}

TEST(Blocks, AreTheRunsOfALayout) {
    const Hct hct = six_nodes();

    const auto blocks = blocks_of(std::vector<NodeId>{2, 2, 0, 1, 1, 1}, hct);

    ASSERT_TRUE(blocks);
    ASSERT_EQ(blocks.value().size(), 3U);
    EXPECT_EQ(blocks.value()[2].first, 3U);
    EXPECT_EQ(blocks.value()[2].size, 3U);
    EXPECT_EQ(blocks.value()[2].node, 1U);
}

TEST(Blocks, NamesTheNodeThatHasTwoRuns) {
    const auto blocks = blocks_of(std::vector<NodeId>{0, 1, 0, 1}, six_nodes());

    ASSERT_FALSE(blocks);
    EXPECT_NE(blocks.error().message.find("a0 are not consecutive"), std::string::npos)
        << blocks.error().message;
}

TEST(BlockMapping, CostIsThatOfThePortsAboveTheNodes) {
    std::mt19937 random(11);
    const Hct hct = six_nodes();
    for (int i = 0; i < 40; ++i) {
        const auto blocks = random_blocks(hct, random);
        const auto layout = layout_of(blocks);
        const CommGraph graph = random_graph(layout.size(), 0.4, random);
        const BlockMapping mapping(graph, hct, blocks, no_id);

        const auto nodes = mapping.start();
        double max_s = 0.0;
        double squares = 0.0;
        const auto loads = port_loads(graph, hct, placed(hct, layout));
        for (const PortLoad& load : loads.value()) {
            if (hct.element(load.element).level > Level::node) continue;
            max_s = std::max(max_s, load.cost_s);
            squares += load.cost_s * load.cost_s;
        }

        EXPECT_DOUBLE_EQ(mapping.cost(nodes).time_s, max_s);
        EXPECT_NEAR(mapping.cost(nodes).sum_squares, squares, 1e-12 * squares);
    }
}

TEST(BlockMapping, CostOfStepsIsTheirTime) {
    // BlockMapping counts only the ports of nodes and switches, so the test takes the loads of
    // those.
    std::mt19937 random(14);
    const Hct hct = six_nodes();
    std::vector<RankBlock> blocks;
    for (NodeId node = 0; node < hct.num_nodes(); ++node) blocks.push_back({node, 1, node});
    const auto layout = layout_of(blocks);
    const RunTime time{0.5, {1.0, 3.0}, 1.0, 1.5};
    for (int i = 0; i < 20; ++i) {
        const std::vector<StepGraph> steps = {{random_graph(layout.size(), 0.4, random)},
                                              {random_graph(layout.size(), 0.4, random)}};
        const CommGraph& whole = steps[0].graph;
        const BlockMapping mapping(whole, hct, blocks, no_id, steps, time);
        const auto busiest = [&](const CommGraph& graph) {
            double highest_s = 0.0;
            const auto loads = port_loads(graph, hct, placed(hct, layout));
            for (const PortLoad& load : loads.value()) {
                if (hct.element(load.element).level <= Level::node)
                    highest_s = std::max(highest_s, load.cost_s);
            }
            return highest_s;
        };
        const double by_steps = busiest(steps[0].graph) + 3.0 * busiest(steps[1].graph);

        EXPECT_NEAR(mapping.cost(mapping.start()).time_s,
                    0.5 + std::max(by_steps, 1.5 * busiest(whole)), 1e-12);
    }
}

TEST(BlockMapping, EveryAnswerFits) {
    std::mt19937 random(12);
    for (int i = 0; i < 60; ++i) {
        const Hct hct = i % 2 == 0 ? uneven_tree() : six_nodes();
        const auto blocks = random_blocks(hct, random);
        const auto layout = layout_of(blocks);
        const CommGraph graph = random_graph(layout.size(), 0.4, random);
        const NodeId rank0 = i % 3 == 0 ? no_id : blocks.front().node;
        const BlockMapping mapping(graph, hct, blocks, rank0);
        std::vector<std::uint32_t> size_on(hct.num_nodes(), 0);
        for (const RankBlock& block : blocks) size_on[block.node] = block.size;

        std::vector<BlockMapping::Nodes> answers;
        for (const MapperInfo& mapper : mapper_table()) {
            if (mapper.candidate_up_to_ranks == 0) continue;
            answers.push_back(mapping.map(mapper, {.max_evaluations = 200}).value().nodes);
        }
        answers.push_back(mapping.refine(answers.front(), {.max_evaluations = 200}));
        EXPECT_FALSE(better(mapping.cost(answers.front()), mapping.cost(answers.back())));
        EXPECT_EQ(answers.back(), mapping.refine(answers.front(), {.max_evaluations = 200}));
        for (const auto& nodes : answers) {
            std::vector<NodeId> sorted = nodes;
            std::sort(sorted.begin(), sorted.end());
            EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
            ASSERT_EQ(nodes.size(), blocks.size());
            for (std::size_t b = 0; b < blocks.size(); ++b)
                EXPECT_EQ(size_on[nodes[b]], blocks[b].size);
            EXPECT_TRUE(rank0 == no_id || nodes.front() == rank0);
        }
    }
}

TEST(BlockMapping, FindsTheBestOrderOfSixNodes) {
    std::mt19937 random(13);
    const Hct hct = six_nodes();
    for (int i = 0; i < 20; ++i) {
        std::vector<RankBlock> blocks;
        for (NodeId node = 0; node < 6; ++node) blocks.push_back({2 * node, 2, node});
        const CommGraph graph = random_graph(12, 0.3, random);
        const BlockMapping mapping(graph, hct, blocks, 0);
        SearchObjective best = mapping.cost(mapping.start());
        BlockMapping::Nodes nodes = mapping.start();
        while (std::next_permutation(nodes.begin() + 1, nodes.end())) {
            if (better(mapping.cost(nodes), best)) best = mapping.cost(nodes);
        }

        const auto found = mapping.refine(mapping.start(), {.max_evaluations = 2000});

        EXPECT_FALSE(better(best, mapping.cost(found)));
    }
}

TEST(BlockMapping, TakesLinearForAMapperWhosePlacementIsDearer) {
    // Four nodes of one rank are below two switches. The heaviest pair parts the two other pairs.
    const Hct hct = uniform_tree({2, 2, 1}, {1e8, 1e9, 1e10}, 2);
    const CommGraph graph(4, {{0, 2, 1, 100'000}, {0, 1, 1, 90'000}, {2, 3, 1, 90'000}});
    const BlockMapping mapping(graph, hct, {{0, 1, 0}, {1, 1, 1}, {2, 1, 2}, {3, 1, 3}}, no_id);
    const MapperInfo greedy = *find_mapper("greedy").value();
    MapperInfo alone = greedy;
    alone.or_linear_in_plans = false;

    const auto in_plans = mapping.map(greedy, {});
    const auto by_itself = mapping.map(alone, {});

    ASSERT_TRUE(in_plans && by_itself);
    EXPECT_TRUE(in_plans.value().linear_instead);
    EXPECT_EQ(in_plans.value().nodes, mapping.start());
    EXPECT_EQ(by_itself.value().nodes, (BlockMapping::Nodes{0, 2, 1, 3}));
}

TEST(BlockMapping, HasNothingToSwapAmongDifferentSizes) {
    const Hct hct = six_nodes();
    const CommGraph graph(6, {{0, 5, 1, 1000}});
    const BlockMapping mapping(graph, hct, {{0, 1, 0}, {1, 2, 1}, {3, 3, 2}}, no_id);

    EXPECT_EQ(mapping.refine(mapping.start(), {}), mapping.start());
}

}  // namespace
}  // namespace commmap
