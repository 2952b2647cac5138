// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/additive_change.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

/// Elements of two_nodes_of_two(): the nodes, whose links are 100 MB/s, and the PUs with 1 GB/s.
///            0 s0
///      1 n0        2 n1
///     3    4      5    6
///    PU 0  PU 1  PU 2  PU 3
std::uint32_t out(ElementId element) { return 3 * element; }
std::uint32_t in(ElementId element) { return 3 * element + 1; }
std::uint32_t through(ElementId element) { return 3 * element + 2; }

/// The change of a port's sums.
struct Added {
    std::int64_t messages = 0;
    double megabytes = 0.0;
    long milliseconds = 0;
    bool operator==(const Added&) const = default;
};
void PrintTo(const Added& added, std::ostream* text) {
    *text << added.messages << " messages, " << added.megabytes << " MB, " << added.milliseconds
          << " ms";
}
using Changes = std::map<std::uint32_t, Added>;  ///< by port, without changes of 0

Changes changes_of(AdditiveChange& change, const std::vector<PuId>& pu_of_rank, RankId rank,
                   PuId to, RankId other = no_id, std::size_t part = 0) {
    Changes changes;
    for (const auto& [port, added] : change.of_exchange(pu_of_rank, rank, to, other)) {
        const AdditiveChange::Sums& sums = added[part];
        const Added each{sums.messages, sums.bytes / 1e6, std::lround(sums.time_s * 1e3)};
        if (each == Added{}) continue;
        EXPECT_TRUE(changes.emplace(port, each).second) << "port " << port << " stands twice";
    }
    return changes;
}

Changes changes_of(const CommGraph& graph, const Hct& hct, const std::vector<PuId>& pu_of_rank,
                   RankId rank, PuId to, RankId other = no_id) {
    const RunCost run(std::make_shared<PortTable>(graph, hct));
    AdditiveChange change(run);
    return changes_of(change, pu_of_rank, rank, to, other);
}

/// Rank 0 sends 1 MB to rank 1: 10 ms on a link, 1 ms at a PU.
CommGraph one_message() { return CommGraph(2, {{0, 1, 1, 1'000'000}}); }

TEST(AdditiveChange, ARankThatLeavesItsPeersNodeLoadsBothLinks) {
    EXPECT_EQ(
        changes_of(one_message(), two_nodes_of_two(), {0, 1}, 1, 2),
        (Changes{
            {out(1), {1, 1, 10}}, {in(2), {1, 1, 10}}, {in(4), {-1, -1, -1}}, {in(5), {1, 1, 1}}}));
}

TEST(AdditiveChange, ARankThatComesToItsPeersNodeRelievesBothLinks) {
    EXPECT_EQ(changes_of(one_message(), two_nodes_of_two(), {0, 2}, 1, 1),
              (Changes{{out(1), {-1, -1, -10}},
                       {in(2), {-1, -1, -10}},
                       {in(4), {1, 1, 1}},
                       {in(5), {-1, -1, -1}}}));
}

TEST(AdditiveChange, PeersThatSwapTurnTheirMessageRound) {
    EXPECT_EQ(changes_of(one_message(), two_nodes_of_two(), {0, 2}, 0, 2, 1),
              (Changes{{out(1), {-1, -1, -10}},
                       {in(1), {1, 1, 10}},
                       {out(2), {1, 1, 10}},
                       {in(2), {-1, -1, -10}},
                       {out(3), {-1, -1, -1}},
                       {in(3), {1, 1, 1}},
                       {out(5), {1, 1, 1}},
                       {in(5), {-1, -1, -1}}}));
}

/// Rank 0 sends 1 MB to rank 2 on the other node, and swaps with rank 1 on its own node.
TEST(AdditiveChange, ASwapInsideANodeChangesNoLink) {
    EXPECT_EQ(
        changes_of(CommGraph(3, {{0, 2, 1, 1'000'000}}), two_nodes_of_two(), {0, 1, 2}, 0, 1, 1),
        (Changes{{out(3), {-1, -1, -1}}, {out(4), {1, 1, 1}}}));
}

TEST(AdditiveChange, NamesOnlyPortsBelowTheCommonAncestor) {
    const RunCost run(std::make_shared<PortTable>(one_message(), two_nodes_of_two()));
    AdditiveChange change(run);
    std::vector<std::uint32_t> ports;
    for (const auto& each : change.of_exchange(std::vector<PuId>{0, 2}, 0, 1, no_id))
        ports.push_back(each.port);

    EXPECT_EQ(ports, (std::vector<std::uint32_t>{out(3), in(3), out(4), in(4)}));
    EXPECT_TRUE(change.of_exchange(std::vector<PuId>{0, 2}, 0, 0, no_id).empty()) << "it stays";
}

/// On sweeney_8x2() PUs 0 and 1 are on m0, element 3, and PU 2 is on m1, element 4. A node carries
/// at most 4 GB/s: 4 MB take 1 ms.
TEST(AdditiveChange, AMessageGoesThroughEachBoundedNodeOnItsWay) {
    const CommGraph graph(2, {{0, 1, 1, 4'000'000}});

    const Changes changes = changes_of(graph, sweeney_8x2(), {0, 1}, 1, 2);

    EXPECT_EQ(changes.count(through(3)), 0U) << "it turned round in m0, and now it leaves by it";
    ASSERT_EQ(changes.count(through(4)), 1U);
    EXPECT_EQ(changes.at(through(4)), (Added{1, 4, 1}));
}

/// Rank 0 sends in the first step and rank 1 answers in the second one. Both are the whole run.
TEST(AdditiveChange, EachPartOfARunHasItsOwnSums) {
    const Hct hct = two_nodes_of_two();
    const Message call{0, 1, 1, 1'000'000};
    const Message answer{1, 0, 1, 2'000'000};
    const std::vector<StepGraph> steps{{CommGraph(2, {call})}, {CommGraph(2, {answer})}};
    const RunCost run(steps, std::make_shared<PortTable>(CommGraph(2, {call, answer}), hct), hct);
    AdditiveChange change(run);

    const Changes first = changes_of(change, {0, 1}, 1, 2, no_id, 0);
    const Changes second = changes_of(change, {0, 1}, 1, 2, no_id, 1);
    const Changes whole = changes_of(change, {0, 1}, 1, 2, no_id, 2);

    EXPECT_EQ(first.at(out(1)), (Added{1, 1, 10}));
    EXPECT_EQ(first.count(in(1)), 0U);
    EXPECT_EQ(second.at(in(1)), (Added{1, 2, 20}));
    EXPECT_EQ(second.count(out(1)), 0U);
    EXPECT_EQ(whole.at(out(1)), (Added{1, 1, 10}));
    EXPECT_EQ(whole.at(in(1)), (Added{1, 2, 20}));
}

}  // namespace
}  // namespace commmap
