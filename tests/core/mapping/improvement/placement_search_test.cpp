// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/placement_search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

using Pus = std::vector<PuId>;
constexpr auto exact = PortCostState::Detail::exact;
constexpr std::uint64_t many = 1'000'000;
const Pus in_order{0, 1, 2, 3};
const Pus partners_together{0, 2, 1, 3};

/// Ranks 0 and 2 send each other 1 MB, ranks 1 and 3 too. The nodes have PUs 0, 1 and 2, 3, links
/// of 100 MB/s, and PUs of 1 GB/s. In order, two messages leave by one link, in 20 ms. Where
/// partners share a node, each message takes 1 ms at a PU.
class PlacementSearchTest : public testing::Test {
protected:
    static constexpr std::uint64_t bytes_ = 1'000'000;
    const OwnedProblem owned_ = problem_on(
        "two pairs",
        CommGraph(4, {{0, 2, 1, bytes_}, {2, 0, 1, bytes_}, {1, 3, 1, bytes_}, {3, 1, 1, bytes_}}),
        two_nodes_of_two());
    MappingProblem problem_ = owned_.view();
    PlacementSearch search_{problem_, in_order, exact, many, 1};
};

TEST_F(PlacementSearchTest, ATryChangesNothingUntilItIsKept) {
    EXPECT_NEAR(search_.objective().time_s, 0.020, 1e-12);

    const SearchObjective tried = search_.try_exchange(1, 2);

    EXPECT_NEAR(tried.time_s, 0.001, 1e-12);
    EXPECT_EQ(search_.placement(), in_order);
    search_.keep();
    EXPECT_EQ(search_.placement(), partners_together);
    EXPECT_EQ(search_.objective().time_s, tried.time_s);
}

TEST_F(PlacementSearchTest, KeepsOnlyWhatIsBetter) {
    EXPECT_FALSE(search_.improve(0, 1)) << "both pairs stay apart";
    EXPECT_EQ(search_.placement(), in_order);
    EXPECT_TRUE(search_.improve(1, 2));
    EXPECT_FALSE(search_.improve(1, 1)) << "both pairs would be apart again";
    EXPECT_EQ(search_.placement(), partners_together);
}

TEST_F(PlacementSearchTest, Rank0NeverLeavesItsNode) {
    problem_.rank0_node = 0;

    EXPECT_FALSE(search_.may_exchange(0, 2)) << "it would leave";
    EXPECT_FALSE(search_.may_exchange(2, 0)) << "it would be sent away";
    EXPECT_FALSE(search_.may_exchange(0, 0)) << "nothing would change";
    EXPECT_TRUE(search_.may_exchange(0, 1));
    search_.kick(100);
    EXPECT_LT(search_.placement()[0], 2U);
}

TEST_F(PlacementSearchTest, FindsPartnersByAllExchangesOrByDrawnOnes) {
    PlacementSearch drawn(problem_, in_order, exact, many, 1);

    search_.descend();
    drawn.descend_sampled(100);

    EXPECT_NEAR(search_.objective().time_s, 0.001, 1e-12);
    EXPECT_NEAR(drawn.objective().time_s, 0.001, 1e-12);
}

/// Near its partner a rank finds only the other PU of that node: its own node is not nearer.
TEST_F(PlacementSearchTest, DrawsAPuOnTheNodeOfAPartner) {
    const Pus near_partner{3, 2, 1, 0};  // by rank
    std::set<RankId> drawn;

    for (int draw = 0; draw < 100; ++draw) {
        const PlacementSearch::Exchange exchange = search_.draw_near_peer();
        if (exchange.rank == no_id) continue;
        drawn.insert(exchange.rank);
        EXPECT_EQ(exchange.pu, near_partner[exchange.rank]) << exchange.rank;
    }

    EXPECT_EQ(drawn.size(), 4U);
}

TEST_F(PlacementSearchTest, EndsWithItsBudgetOrItsDeadline) {
    PlacementSearch few(problem_, partners_together, exact, 3, 1);
    PlacementSearch late(problem_, partners_together, exact, many, 1, Deadline::after(0.0));

    few.descend();
    late.descend_sampled(many);

    EXPECT_EQ(few.num_evaluations(), 3U);
    EXPECT_FALSE(few.cut_short());
    EXPECT_TRUE(late.cut_short());
    EXPECT_LT(late.num_evaluations(), 1000U);
}

/// A rank that moves leaves its PU to the others: all six placements of two ranks on the candidate
/// PUs 0, 1 and 3 come up, and none on PU 2.
TEST_F(PlacementSearchTest, MovesToFreePusAndReturnsToAPlacementSeenBefore) {
    OwnedProblem owned = problem_on("pair", CommGraph(2, {{0, 1, 1, 1000}}), two_nodes_of_two());
    owned.candidate_pus = {0, 1, 3};
    const MappingProblem problem = owned.view();
    PlacementSearch search(problem, Pus{0, 3}, exact, many, 1);
    const double time_s = search.objective().time_s;
    std::set<Pus> seen;

    for (unsigned round = 0; round < 100; ++round) {
        search.kick(1 + round % 2);
        seen.insert(search.placement());
        search.restore(Pus{0, 3});
        EXPECT_EQ(search.placement(), (Pus{0, 3}));
    }

    EXPECT_EQ(seen, (std::set<Pus>{{0, 1}, {0, 3}, {1, 0}, {1, 3}, {3, 0}, {3, 1}}));
    EXPECT_NEAR(search.objective().time_s, time_s, 1e-15);
    EXPECT_EQ(search.num_evaluations(), 0U) << "kicks and restoring are not counted";
}

}  // namespace
}  // namespace commmap
