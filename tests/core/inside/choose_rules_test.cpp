// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/choose_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commmap::inside {
namespace {

constexpr Algorithm ring{AlgorithmKind::ring, 0};
constexpr Algorithm chain(std::uint32_t segment) { return {AlgorithmKind::chain, segment}; }

/// A call whose measured gain is so much, and at least a tenth less.
MeasuredCall call(std::uint64_t bytes, double native_us, double gain) {
    return {bytes, native_us, native_us / gain, 0.9 * gain};
}

CollectiveTimes times_of(std::vector<MeasuredAlgorithm> algorithms) {
    return {"Open MPI v4.1.4", "by hand", {{2, 2, std::move(algorithms)}}};
}

constexpr StepLayout block{2, 2, RankOrder::block};
constexpr StepLayout cyclic{2, 2, RankOrder::cyclic};
constexpr StepLayout other{2, 2, std::nullopt};

/// The rules as the library in the tasks gets them.
std::string rules_for(const CollectiveTimes& times, const StepLayout& layout) {
    const auto chosen = choose_rules(times, layout);
    if (!chosen) return chosen.error().message;
    std::vector<Rule> rules;
    for (const ChosenRule& one : chosen.value()) rules.push_back(one.rule);
    return Choices::text_of(rules, "");
}

MeasuredAlgorithm measured(RankOrder order, const Algorithm& algorithm,
                           std::vector<MeasuredCall> calls) {
    const auto op =
        algorithm.kind == AlgorithmKind::chain ? CollectiveOp::bcast : CollectiveOp::allgather;
    return {op, order, algorithm, std::move(calls)};
}

TEST(ChooseRules, TheFastestAlgorithmWinsAtEachMeasuredSize) {
    const CollectiveTimes times =
        times_of({measured(RankOrder::block, chain(4096),
                           {call(1000, 5000, 2), call(2000, 5000, 3), call(4000, 5000, 4)}),
                  measured(RankOrder::block, chain(8192),
                           {call(1000, 5000, 1.5), call(2000, 5000, 3.5), call(4000, 5000, 5)})});
    EXPECT_EQ(rules_for(times, block),
              "bcast 4 1000 chain 4096;bcast 4 2000 chain 8192;bcast 4 4000 chain 8192");
}

TEST(ChooseRules, NativeWinsWhereNothingIsSurelyFaster) {
    // the least gain is a tenth below: 1.14 may be 1.026
    const CollectiveTimes times =
        times_of({measured(RankOrder::block, ring,
                           {call(1000, 5000, 1.14), call(2000, 5000, 2), call(4000, 5000, 1.14),
                            call(8000, 5000, 0.5), call(16000, 5000, 2)})});
    EXPECT_EQ(rules_for(times, block),
              "allgather 4 2000 ring;allgather 4 2001 native;allgather 4 16000 ring");
    EXPECT_EQ(
        rules_for(times_of({measured(RankOrder::block, ring, {call(1000, 5000, 0.9)})}), block),
        "");
}

TEST(ChooseRules, AShortCallNeedsTheGainInBothOrders) {
    const auto once = measured(RankOrder::block, ring, {call(100, 500, 2)});
    const auto again = measured(RankOrder::cyclic, ring, {call(100, 900, 1.5)});
    const auto less = measured(RankOrder::cyclic, ring, {call(100, 900, 1.2)});
    EXPECT_EQ(rules_for(times_of({once}), block), "");
    EXPECT_EQ(rules_for(times_of({once, less}), block), "");
    EXPECT_EQ(rules_for(times_of({once, again}), block), "allgather 4 100 ring");
    EXPECT_EQ(rules_for(times_of({once, again}), cyclic), "allgather 4 100 ring");
}

TEST(ChooseRules, AnOrderCountsByItsOwnTimes) {
    const CollectiveTimes times =
        times_of({measured(RankOrder::block, ring, {call(1000, 5000, 2)}),
                  measured(RankOrder::cyclic, ring, {call(1000, 9000, 0.9)})});
    EXPECT_EQ(rules_for(times, block), "allgather 4 1000 ring");
    EXPECT_EQ(rules_for(times, cyclic), "");
    EXPECT_EQ(rules_for(times, other), "") << "both orders count where ranks have neither";
}

TEST(ChooseRules, AnotherOrderHasTheLowerGain) {
    const CollectiveTimes times =
        times_of({measured(RankOrder::block, ring, {call(1000, 5000, 2)}),
                  measured(RankOrder::cyclic, ring, {call(1000, 9000, 4)})});
    const auto chosen = choose_rules(times, other);
    ASSERT_TRUE(chosen);
    ASSERT_EQ(chosen.value().size(), 1U);
    EXPECT_DOUBLE_EQ(chosen.value()[0].gain, 2.0);
    EXPECT_DOUBLE_EQ(chosen.value()[0].least_gain, 1.8);
    const auto in_cyclic = choose_rules(times, cyclic);
    EXPECT_DOUBLE_EQ(in_cyclic.value()[0].gain, 4.0);
    EXPECT_EQ(rules_for(times_of({times.layouts[0].algorithms[0]}), other), "");
}

TEST(ChooseRules, ALayoutThatWasNotMeasuredIsNative) {
    const CollectiveTimes times =
        times_of({measured(RankOrder::block, ring, {call(1000, 5000, 2)})});
    for (const StepLayout& layout :
         {StepLayout{3, 2, RankOrder::block}, StepLayout{2, 1, RankOrder::block}}) {
        const auto chosen = choose_rules(times, layout);
        ASSERT_FALSE(chosen);
        EXPECT_EQ(chosen.error().code, Errc::not_found);
    }
    EXPECT_EQ(rules_for(times, {3, 2, RankOrder::block}),
              "collectives were measured on 2 x 2 (nodes x ranks), not on 3 nodes x 2 ranks");
    EXPECT_EQ(rules_for(times, {2, 0, std::nullopt}),
              "collectives were measured on 2 x 2 (nodes x ranks), not on nodes with different "
              "numbers of ranks");
}

/// Times of an algorithm: its gain with calls of 1000 B, with calls of 2000 B, and so on.
MeasuredAlgorithm reduce_by(const char* algorithm, std::vector<double> gains) {
    MeasuredAlgorithm one{CollectiveOp::reduce,
                          RankOrder::block,
                          parse_algorithm(CollectiveOp::reduce, algorithm).value(),
                          {}};
    for (const double gain : gains)
        one.calls.push_back(call(1000 * (one.calls.size() + 1), 5000, gain));
    return one;
}

TEST(ChooseRules, AlgorithmsThatGainLeastAreLeftOutForCommunicators) {
    const CollectiveTimes times = times_of({reduce_by("tuned binomial", {3.1, 2, 1, 1}),
                                            reduce_by("tuned pipeline 4096", {1, 3, 1, 1}),
                                            reduce_by("tuned pipeline 8192", {1, 1, 2.5, 2}),
                                            reduce_by("tuned rabenseifner", {1, 1, 2, 4})});
    EXPECT_EQ(rules_for(times, block),
              "reduce 4 1000 tuned binomial;reduce 4 2000 tuned pipeline 4096;"
              "reduce 4 3000 tuned rabenseifner;reduce 4 4000 tuned rabenseifner");
    CollectiveTimes more = times;
    more.layouts[0].algorithms.push_back(
        {CollectiveOp::alltoall,
         RankOrder::block,
         parse_algorithm(CollectiveOp::alltoall, "tuned linear").value(),
         {call(1, 5000, 2)}});
    EXPECT_EQ(rules_for(more, block),
              "reduce 4 1000 tuned binomial;reduce 4 2000 tuned binomial;"
              "reduce 4 3000 tuned rabenseifner;reduce 4 4000 tuned rabenseifner;"
              "alltoall 4 1 tuned linear")
        << "what needs the program's order takes one of three communicators";
}

struct Placed {
    std::vector<std::uint32_t> node_of_rank;
    std::uint32_t nodes;
    std::uint32_t ranks_per_node;
    std::optional<RankOrder> order;
};
class LayoutOf : public testing::TestWithParam<Placed> {};

TEST_P(LayoutOf, TellsBlockAndCyclicFromOthers) {
    const StepLayout layout = layout_of(GetParam().node_of_rank);
    EXPECT_EQ(layout.nodes, GetParam().nodes);
    EXPECT_EQ(layout.ranks_per_node, GetParam().ranks_per_node);
    EXPECT_EQ(layout.order, GetParam().order);
}

INSTANTIATE_TEST_SUITE_P(All, LayoutOf,
                         testing::Values(Placed{{0, 0, 1, 1}, 2, 2, RankOrder::block},
                                         Placed{{7, 7, 3, 3}, 2, 2, RankOrder::block},
                                         Placed{{0, 1, 0, 1}, 2, 2, RankOrder::cyclic},
                                         Placed{{2, 0, 1, 2, 0, 1}, 3, 2, RankOrder::cyclic},
                                         Placed{{0, 1, 1, 0}, 2, 2, std::nullopt},
                                         Placed{{0, 1, 2, 1, 0, 2}, 3, 2, std::nullopt},
                                         Placed{{0, 0, 1}, 2, 0, std::nullopt},
                                         Placed{{4, 2, 3}, 3, 1, RankOrder::block},
                                         Placed{{5}, 1, 1, RankOrder::block}));

}  // namespace
}  // namespace commmap::inside
