// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/chain_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/tree_mapping/graphs.hpp"
#include "core/tree_mapping/moves/hop_bytes_cost.hpp"
#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/moves/rank_time_cost.hpp"
#include "core/tree_mapping/partition/multisection.hpp"

namespace commmap {
namespace {

using tests::random_graph;
using tests::random_machine;
using tests::slow_figures;

/// Returns random bins for ranks. No bin has more ranks than PUs.
std::vector<GroupId> random_bins(const MachineTree& machine, std::size_t n, Random& random) {
    std::vector<GroupId> places;
    for (GroupId bin = 0; bin < machine.num_bins(); ++bin)
        places.insert(places.end(), machine.bins().capacity[bin], bin);
    shuffle(std::span(places), random);
    places.resize(n);
    return places;
}

void expect_fits(const MachineTree& machine, const BinPlacement& placement) {
    std::vector<std::uint32_t> used(machine.num_bins(), 0);
    for (const GroupId bin : placement.bins()) EXPECT_LE(++used[bin], machine.bins().capacity[bin]);
    for (GroupId bin = 0; bin < machine.num_bins(); ++bin) {
        const auto members = placement.members(bin);
        EXPECT_EQ(members.size(), used[bin]);
        EXPECT_EQ(std::set<std::uint32_t>(members.begin(), members.end()).size(), used[bin]);
        for (const std::uint32_t rank : members) EXPECT_EQ(placement.bin_of(rank), bin);
    }
}

std::vector<GroupId> bins_of(const BinPlacement& placement) {
    return {placement.bins().begin(), placement.bins().end()};
}

struct Case {
    MachineTree machine;
    WeightedGraph weighted;
    CsrGraph graph;
    std::vector<GroupId> start;
};

Case random_case(Random& random) {
    MachineTree machine = random_machine(random);
    const auto n = static_cast<std::uint32_t>(random.below(machine.num_pus() + 1));
    WeightedGraph weighted = random_graph(random, n, 50);
    CsrGraph graph(weighted);
    std::vector<GroupId> start = random_bins(machine, n, random);
    return {std::move(machine), std::move(weighted), std::move(graph), std::move(start)};
}

TEST(ChainSearch, HopBytesGoDownByWhatItSays) {
    Random random(5);
    Threads threads;
    for (int round = 0; round < 200; ++round) {
        const Case c = random_case(random);
        BinPlacement placement(c.graph, c.machine, c.start);
        HopBytesCost cost(placement);
        const double gained = ChainSearch<HopBytesCost>(placement, cost).improve(4, threads);
        EXPECT_EQ(slow_figures(c.weighted, c.machine, c.start).hop_bytes -
                      slow_figures(c.weighted, c.machine, bins_of(placement)).hop_bytes,
                  gained);
        expect_fits(c.machine, placement);
    }
}

/// The sum of cost / unit to the power of 4 over all links, from scratch.
double sum_of_powers(const BinPlacement& placement, double unit) {
    const MachineTree& machine = placement.machine();
    const CsrGraph& graph = placement.graph();
    double sum = 0.0;
    for (std::size_t depth = 1; depth < machine.num_levels(); ++depth) {
        const auto group_of = [&](std::uint32_t rank) {
            GroupId group = placement.bin_of(rank);
            for (std::size_t d = machine.num_levels() - 1; d > depth; --d)
                group = machine.level(d).parent[group];
            return group;
        };
        std::vector<double> loads(machine.num_groups(depth), 0.0);
        for (std::uint32_t v = 0; v < placement.num_ranks(); ++v)
            for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
                if (group_of(v) != group_of(graph.neighbours[i]))
                    loads[group_of(v)] += static_cast<double>(graph.weights[i]);
        for (const double load : loads)
            sum += std::pow(load * cost_of_byte(machine, depth) / unit, 4);
    }
    return sum;
}

TEST(ChainSearch, LoadsOfLinksAreKeptAsTheyAre) {
    Random random(6);
    Threads threads;
    int lower = 0;
    for (int round = 0; round < 200; ++round) {
        const Case c = random_case(random);
        BinPlacement placement(c.graph, c.machine, c.start);
        const double most = slow_figures(c.weighted, c.machine, c.start).port_cost;
        LinkCost cost = LinkCost::powers(placement, most > 0 ? most : 1.0, 2);
        EXPECT_EQ(cost.largest(), most);
        const double before = sum_of_powers(placement, most > 0 ? most : 1.0);
        const double gained = ChainSearch<LinkCost>(placement, cost).improve(4, threads);
        EXPECT_NEAR(before - sum_of_powers(placement, most > 0 ? most : 1.0), gained,
                    1e-9 * (1 + before));
        EXPECT_EQ(cost.largest(),
                  slow_figures(c.weighted, c.machine, bins_of(placement)).port_cost);
        if (cost.largest() < most) ++lower;
        expect_fits(c.machine, placement);
    }
    EXPECT_GT(lower, 50) << "the largest load hardly ever went down";
}

TEST(ChainSearch, HopBytesBelowACapLeaveTheLargestLoadAlone) {
    Random random(8);
    Threads threads;
    int lower = 0;
    for (int round = 0; round < 200; ++round) {
        const Case c = random_case(random);
        BinPlacement placement(c.graph, c.machine, c.start);
        const auto before = slow_figures(c.weighted, c.machine, c.start);
        LinkCost cost = LinkCost::capped(placement, before.port_cost);
        ChainSearch<LinkCost>(placement, cost).improve(4, threads);
        const auto after = slow_figures(c.weighted, c.machine, bins_of(placement));
        EXPECT_LE(after.port_cost, before.port_cost);
        EXPECT_LE(after.hop_bytes, before.hop_bytes);
        if (after.hop_bytes < before.hop_bytes) ++lower;
    }
    EXPECT_GT(lower, 50);
}

TEST(ChainSearch, TimesOfRanksAreKeptAsTheyAre) {
    Random random(7);
    Threads threads;
    int lower = 0;
    for (int round = 0; round < 200; ++round) {
        const Case c = random_case(random);
        BinPlacement placement(c.graph, c.machine, c.start);
        const double most = slow_figures(c.weighted, c.machine, c.start).process_time;
        const auto sum = [&] {
            double of_powers = 0.0;
            const RankTimes times(placement);
            for (std::uint32_t rank = 0; rank < placement.num_ranks(); ++rank)
                of_powers += std::pow(times.of(rank) / (most > 0 ? most : 1.0), 4);
            return of_powers;
        };
        const double before = sum();
        RankTimeCost cost(placement, Potential::power(1.0, most > 0 ? most : 1.0, 2));
        const double gained = ChainSearch<RankTimeCost>(placement, cost).improve(4, threads);
        EXPECT_NEAR(before - sum(), gained, 1e-9 * (1 + before));
        const double after = slow_figures(c.weighted, c.machine, bins_of(placement)).process_time;
        if (after < most) ++lower;
        expect_fits(c.machine, placement);
    }
    EXPECT_GT(lower, 50);
}

TEST(Potential, PowersAndPrices) {
    const Potential cubic_and_more = Potential::power(2.0, 10.0, 2);  // (load / 5)^4
    EXPECT_DOUBLE_EQ(cubic_and_more.of(5.0), 1.0);
    EXPECT_DOUBLE_EQ(cubic_and_more.of(10.0), 16.0);
    EXPECT_DOUBLE_EQ(cubic_and_more.price(10.0), 4 * 8.0 / 5);
    EXPECT_EQ(cubic_and_more.price(0.0), 0.0);
    const Potential capped = Potential::linear(2.0, 10.0);
    EXPECT_DOUBLE_EQ(capped.of(5.0), 10.0);
    EXPECT_DOUBLE_EQ(capped.of(6.0), 12.0 + 1000.0 * 2.0);
    EXPECT_DOUBLE_EQ(capped.price(5.0), 2.0);
    EXPECT_DOUBLE_EQ(capped.price(6.0), 2000.0);
}

}  // namespace
}  // namespace commmap
