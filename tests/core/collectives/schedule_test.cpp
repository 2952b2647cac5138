// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/schedule.hpp"
#include "core/collectives/expansion/choose_schedule.hpp"
#include "core/collectives/expansion/schedule_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

namespace commmap {
namespace {

std::vector<ScheduledMessage> expand(std::string_view name, const CollectiveCall& call) {
    for (const ScheduleInfo& info : schedule_table()) {
        if (info.name != name) continue;
        std::vector<ScheduledMessage> messages;
        info.expand(call, messages);
        return messages;
    }
    ADD_FAILURE() << "no schedule " << name;
    return {};
}

std::uint64_t total(const std::vector<ScheduledMessage>& messages) {
    std::uint64_t sum = 0;
    for (const ScheduledMessage& m : messages) sum += m.bytes * m.count;
    return sum;
}

/// Who knows of whose data when each message carries all that its sender knows. Messages of a step
/// come before those of the next, so running them in order lets no member know too little.
std::vector<std::set<std::uint32_t>> spread(std::uint32_t n,
                                            const std::vector<ScheduledMessage>& messages) {
    std::vector<std::set<std::uint32_t>> known(n);
    for (std::uint32_t i = 0; i < n; ++i) known[i] = {i};
    for (const ScheduledMessage& m : messages) {
        known[m.destination].insert(known[m.source].begin(), known[m.source].end());
    }
    return known;
}

constexpr std::uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33};

TEST(ScheduleTable, NamesAreDistinctAndStartWithTheOperation) {
    std::set<std::string_view> names;
    std::set<CollectiveOp> operations;
    for (const ScheduleInfo& info : schedule_table()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_TRUE(info.name.starts_with(collective_name(info.op))) << info.name;
        operations.insert(info.op);
    }
    EXPECT_EQ(operations.size(), static_cast<std::size_t>(CollectiveOp::count_));
}

TEST(ScheduleTable, EveryMessageIsBetweenTwoMembers) {
    for (const ScheduleInfo& info : schedule_table()) {
        for (const std::uint32_t n : sizes) {
            for (const std::uint32_t root : {0U, n - 1, n / 2}) {
                std::vector<ScheduledMessage> messages;
                info.expand({n, root, 1000}, messages);
                if (n == 1) {
                    EXPECT_TRUE(messages.empty()) << info.name;
                }
                for (const ScheduledMessage& m : messages) {
                    ASSERT_LT(m.source, n) << info.name << " " << n;
                    ASSERT_LT(m.destination, n) << info.name << " " << n;
                    ASSERT_NE(m.source, m.destination) << info.name << " " << n;
                    ASSERT_GT(m.count, 0U) << info.name << " " << n;
                }
            }
        }
    }
}

TEST(Barrier, AfterwardsAllKnowOfAll) {
    for (const char* name : {"barrier_dissemination", "barrier_recursive_doubling"}) {
        for (const std::uint32_t n : sizes) {
            const auto messages = expand(name, {n, 0, 0});
            for (const auto& known : spread(n, messages)) EXPECT_EQ(known.size(), n) << name << n;
            EXPECT_EQ(total(messages), 0U);
        }
    }
    EXPECT_EQ(expand("barrier_dissemination", {5, 0, 0}).size(), 5U * 3U);
}

TEST(Bcast, EveryMemberGetsThePayloadOnce) {
    for (const char* name : {"bcast_linear", "bcast_binomial", "bcast_chain"}) {
        for (const std::uint32_t n : sizes) {
            for (std::uint32_t root = 0; root < n; ++root) {
                std::vector<bool> has(n, false);
                has[root] = true;
                for (const ScheduledMessage& m : expand(name, {n, root, 1000})) {
                    EXPECT_TRUE(has[m.source]) << name << " sends what it does not have";
                    EXPECT_FALSE(has[m.destination]) << name << " sends twice";
                    EXPECT_EQ(m.bytes, 1000U);
                    has[m.destination] = true;
                }
                EXPECT_EQ(std::count(has.begin(), has.end(), true), n) << name << " " << n;
            }
        }
    }
}

TEST(Bcast, BinomialIsOpenMpisTree) {
    // Root 1 of 6: 1 -> 2; 1 -> 3, 2 -> 4; 1 -> 5, 2 -> 0.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& m : expand("bcast_binomial", {6, 1, 8}))
        pairs.push_back({m.source, m.destination});

    EXPECT_EQ(pairs, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                         {1, 2}, {1, 3}, {2, 4}, {1, 5}, {2, 0}}));
}

TEST(Bcast, ScatterAllgatherGivesEveryMemberTheWholePayload) {
    for (const std::uint32_t n : sizes) {
        for (const std::uint64_t payload : {0ULL, 5ULL, 1000ULL, 1024ULL}) {
            const auto messages = expand("bcast_scatter_allgather", {n, n / 3, payload});
            if (n == 1) continue;
            const std::uint64_t small = payload / n;
            const std::uint64_t rest = payload % n;
            const auto begin = [&](std::uint64_t i) { return i * small + std::min(i, rest); };
            // Allgather: each gets the whole payload but its own part. Scatter: a part crosses one
            // link for each bit that is set in its distance from the root.
            std::uint64_t expected = (n - 1) * payload;
            for (std::uint32_t i = 0; i < n; ++i) {
                expected +=
                    static_cast<std::uint64_t>(std::popcount(i)) * (begin(i + 1) - begin(i));
            }
            EXPECT_EQ(total(messages), expected) << n << " members, " << payload << " bytes";
            for (const auto& known : spread(n, messages)) EXPECT_TRUE(known.contains(n / 3));
        }
    }
}

TEST(Bcast, ScatterRingGivesEveryMemberTheWholePayload) {
    for (const std::uint32_t n : sizes) {
        if (n == 1) continue;
        const auto messages = expand("bcast_scatter_ring", {n, n / 3, 1000});
        for (const auto& known : spread(n, messages)) EXPECT_TRUE(known.contains(n / 3));
        // Round the ring each gets the whole payload but its own part; the scatter is the same.
        const auto doubling = expand("bcast_scatter_allgather", {n, n / 3, 1000});
        EXPECT_EQ(total(messages), total(doubling)) << n;
        std::map<std::uint32_t, std::set<std::uint32_t>> ring;
        for (const ScheduledMessage& m : messages)
            if (m.destination == (m.source + 1) % n) ring[m.source].insert(m.destination);
        EXPECT_EQ(ring.size(), n) << "everybody sends to the next member";
    }
}

TEST(Reduce, TheRootGetsEveryContributionAndEachMemberSendsOnce) {
    for (const char* name : {"reduce_linear", "reduce_binomial", "reduce_chain"}) {
        for (const std::uint32_t n : sizes) {
            for (std::uint32_t root = 0; root < n; ++root) {
                const auto messages = expand(name, {n, root, 1000});
                EXPECT_EQ(spread(n, messages)[root].size(), n) << name << " " << n;
                EXPECT_EQ(total(messages), (n - 1) * 1000ULL);
                std::vector<int> sent(n, 0);
                for (const ScheduledMessage& m : messages) ++sent[m.source];
                for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(sent[i], i == root ? 0 : 1);
            }
        }
    }
}

TEST(Reduce, ScatterGatherBringsEveryPartToTheRootOnce) {
    for (const std::uint32_t n : sizes) {
        if (n == 1) continue;
        const std::uint64_t core = std::bit_floor(n);
        const std::uint64_t payload = 64 * core;  // so that halves are whole
        for (std::uint32_t root = 0; root < n; ++root) {
            const auto messages = expand("reduce_scatter_gather", {n, root, payload});
            EXPECT_EQ(spread(n, messages)[root].size(), n) << n << " " << root;
            // Those beyond a power of two give theirs; each half is sent once by each, and in the
            // gather a part crosses one link for each bit by which its owner is unlike the root.
            const std::uint64_t rest = n - core;
            std::uint64_t expected = rest * payload + (core - 1) * payload;
            for (std::uint64_t i = 0; i < core; ++i)
                expected += static_cast<std::uint64_t>(std::popcount(i)) * 64;
            const bool takes_over = root < 2 * rest && root % 2 != 0;
            EXPECT_EQ(total(messages), expected + (takes_over ? 64 : 0)) << n << " " << root;
            for (const ScheduledMessage& m : messages) EXPECT_GT(m.bytes, 0U);
        }
    }
}

TEST(Allreduce, AfterwardsAllHaveAllContributions) {
    for (const char* name :
         {"allreduce_recursive_doubling", "allreduce_rabenseifner", "allreduce_nonoverlapping"}) {
        for (const std::uint32_t n : sizes) {
            for (const auto& known : spread(n, expand(name, {n, 0, 1000}))) {
                EXPECT_EQ(known.size(), n) << name << " " << n;
            }
        }
    }
}

TEST(Allreduce, RecursiveDoublingSendsThePayloadLogTimes) {
    EXPECT_EQ(total(expand("allreduce_recursive_doubling", {8, 0, 100})), 8U * 3U * 100U);
    // 6 members: 2 give, 4 * 2 exchange, 2 get.
    EXPECT_EQ(total(expand("allreduce_recursive_doubling", {6, 0, 100})), (2U + 8U + 2U) * 100U);
}

TEST(Allreduce, RingSendsEveryByteTwiceButForOnesOwnBlock) {
    for (const std::uint32_t n : sizes) {
        for (const std::uint64_t payload : {0ULL, 3ULL, 1000ULL, 1024ULL}) {
            const auto messages = expand("allreduce_ring", {n, 0, payload});
            EXPECT_EQ(total(messages), 2ULL * (n - 1) * payload);
            std::map<std::uint32_t, std::uint64_t> sent;
            for (const ScheduledMessage& m : messages) {
                EXPECT_EQ(m.destination, (m.source + 1) % n);
                sent[m.source] += m.count;
            }
            for (const auto& [member, count] : sent) EXPECT_EQ(count, 2ULL * (n - 1)) << member;
        }
    }
}

TEST(Allreduce, RabenseifnerSendsAsLittleAsTheRing) {
    for (const std::uint32_t n : {2U, 4U, 8U, 16U}) {
        EXPECT_EQ(total(expand("allreduce_rabenseifner", {n, 0, 1600})), 2ULL * (n - 1) * 1600);
    }
    // 3 members: halves both ways and one back (1.5 payloads), 2 take part (2), one result (1).
    EXPECT_EQ(total(expand("allreduce_rabenseifner", {3, 0, 1000})), 4500U);
    // an odd payload: the halves of a window add up
    EXPECT_EQ(total(expand("allreduce_rabenseifner", {4, 0, 1001})), 2ULL * 3 * 1001);
}

TEST(Gather, TheRootGetsEveryBlock) {
    for (const char* name : {"gather_linear", "gather_binomial"}) {
        for (const std::uint32_t n : sizes) {
            for (std::uint32_t root = 0; root < n; ++root) {
                std::vector<std::uint64_t> blocks(n, 1);
                for (const ScheduledMessage& m : expand(name, {n, root, 10})) {
                    EXPECT_EQ(m.bytes, blocks[m.source] * 10) << name << " sends what it has";
                    blocks[m.destination] += blocks[m.source];
                    blocks[m.source] = 0;
                }
                EXPECT_EQ(blocks[root], n) << name << " " << n;
            }
        }
    }
}

TEST(Scatter, EveryMemberKeepsOneBlock) {
    for (const char* name : {"scatter_linear", "scatter_binomial"}) {
        for (const std::uint32_t n : sizes) {
            for (std::uint32_t root = 0; root < n; ++root) {
                std::vector<std::uint64_t> blocks(n, 0);
                blocks[root] = n;
                for (const ScheduledMessage& m : expand(name, {n, root, 10})) {
                    ASSERT_GE(blocks[m.source], m.bytes / 10) << name << " sends what it lacks";
                    blocks[m.destination] += m.bytes / 10;
                    blocks[m.source] -= m.bytes / 10;
                }
                EXPECT_EQ(blocks, std::vector<std::uint64_t>(n, 1)) << name << " " << n;
            }
        }
    }
}

TEST(Allgather, EveryMemberGetsEveryBlockOnce) {
    for (const char* name : {"allgather_recursive_doubling", "allgather_bruck", "allgather_ring"}) {
        for (const std::uint32_t n : sizes) {
            const auto messages = expand(name, {n, 0, 10});
            std::vector<std::uint64_t> received(n, 0);
            for (const ScheduledMessage& m : messages) {
                received[m.destination] += m.bytes * m.count;
            }
            EXPECT_EQ(received, std::vector<std::uint64_t>(n, 10ULL * (n - 1))) << name << " " << n;
        }
    }
    for (const auto& known : spread(7, expand("allgather_bruck", {7, 0, 1}))) {
        EXPECT_EQ(known.size(), 7U);
    }
}

TEST(Alltoall, PairwiseIsEveryPairOnce) {
    for (const std::uint32_t n : sizes) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const ScheduledMessage& m : expand("alltoall_pairwise", {n, 0, 10})) {
            EXPECT_TRUE(pairs.insert({m.source, m.destination}).second);
            EXPECT_EQ(m.bytes * m.count, 10U);
        }
        EXPECT_EQ(pairs.size(), std::size_t{n} * (n - 1));
    }
}

TEST(Alltoall, BruckCarriesABlockAsOftenAsItsWayHasBits) {
    for (const std::uint32_t n : sizes) {
        std::uint64_t hops = 0;
        for (std::uint32_t way = 1; way < n; ++way)
            hops += static_cast<std::uint64_t>(std::popcount(way));
        EXPECT_EQ(total(expand("alltoall_bruck", {n, 0, 10})), 10 * n * hops) << n;
    }
}

TEST(ReduceScatter, SendsEveryBlockToItsOwner) {
    for (const std::uint32_t n : sizes) {
        EXPECT_EQ(total(expand("reduce_scatter_ring", {n, 0, 1003})), (n - 1) * 1003ULL);
        for (const char* name : {"reduce_scatter_halving"}) {
            for (const auto& known : spread(n, expand(name, {n, 0, 1003}))) {
                EXPECT_EQ(known.size(), n) << name << " " << n;
            }
        }
    }
    EXPECT_EQ(total(expand("reduce_scatter_halving", {8, 0, 800})), 7U * 800U);
    // 3 members of 4 bytes each: 12 given, 4 + 8 exchanged, 4 back
    EXPECT_EQ(total(expand("reduce_scatter_halving", {3, 0, 12})), 12U + 12U + 4U);
}

TEST(ReduceScatter, PairwiseSendsEachMemberItsBlock) {
    for (const std::uint32_t n : sizes) {
        std::map<std::uint32_t, std::uint64_t> received;
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const ScheduledMessage& m : expand("reduce_scatter_pairwise", {n, 0, 1003})) {
            EXPECT_TRUE(pairs.insert({m.source, m.destination}).second);
            received[m.destination] += m.bytes * m.count;
        }
        EXPECT_EQ(pairs.size(), std::size_t{n} * (n - 1));
        for (const auto& [member, bytes] : received)
            EXPECT_EQ(bytes, (n - 1) * (1003 / n + (member < 1003 % n ? 1 : 0))) << n;
    }
}

TEST(Scan, DoublingTellsEachOfAllBefore) {
    for (const char* name : {"scan_recursive_doubling", "exscan_recursive_doubling"}) {
        for (const std::uint32_t n : sizes) {
            const auto known = spread(n, expand(name, {n, 0, 10}));
            for (std::uint32_t i = 0; i < n; ++i)
                for (std::uint32_t before = 0; before < i; ++before)
                    EXPECT_TRUE(known[i].contains(before)) << name << " " << n << " " << i;
        }
    }
    // 6 members: 6 at distance 1, 4 at 2, 4 at 4
    EXPECT_EQ(expand("scan_recursive_doubling", {6, 0, 10}).size(), 6U + 4U + 4U);
}

TEST(Scan, GoesFromEachToTheNext) {
    for (const char* name : {"scan_linear", "exscan_linear"}) {
        const auto messages = expand(name, {5, 0, 10});
        EXPECT_EQ(total(messages), 40U);
        const auto known = spread(5, messages);
        for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(known[i].size(), i + 1);
    }
}

TEST(ChooseSchedule, FollowsOpenMpi) {
    const auto name = [](CollectiveOp op, std::uint32_t n, std::uint64_t bytes) {
        return choose_schedule(CollectiveRules::open_mpi_4, op, {n, 0, bytes}).name;
    };
    EXPECT_EQ(name(CollectiveOp::allreduce, 16, 1024), "allreduce_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::allreduce, 16, 4096), "allreduce_rabenseifner");
    EXPECT_EQ(name(CollectiveOp::allreduce, 128, 8), "allreduce_nonoverlapping");
    EXPECT_EQ(name(CollectiveOp::allreduce, 2, 100'000), "allreduce_ring");
    EXPECT_EQ(name(CollectiveOp::allreduce, 2, 4),
              "allreduce_recursive_doubling");  // < 1 element each
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 1'048'575), "bcast_binomial");
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 1'048'576), "bcast_scatter_allgather");
    EXPECT_EQ(name(CollectiveOp::alltoall, 64, 1023), "alltoall_bruck");
    EXPECT_EQ(name(CollectiveOp::alltoall, 64, 1024), "alltoall_pairwise");
    EXPECT_EQ(name(CollectiveOp::allgather, 31, 1 << 20), "allgather_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::allgather, 64, 1 << 20), "allgather_ring");
    EXPECT_EQ(name(CollectiveOp::scatter, 64, 511), "scatter_binomial");
    EXPECT_EQ(name(CollectiveOp::scatter, 64, 512), "scatter_linear");
}

TEST(ChooseSchedule, FollowsMpich) {
    const auto name = [](CollectiveOp op, std::uint32_t n, std::uint64_t bytes) {
        return choose_schedule(CollectiveRules::mpich_4, op, {n, 0, bytes}).name;
    };
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 12288), "bcast_binomial");
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 12289), "bcast_scatter_allgather");
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 524288), "bcast_scatter_allgather");
    EXPECT_EQ(name(CollectiveOp::bcast, 16, 524289), "bcast_scatter_ring");
    EXPECT_EQ(name(CollectiveOp::bcast, 12, 12289), "bcast_scatter_ring");
    EXPECT_EQ(name(CollectiveOp::bcast, 7, 1 << 20), "bcast_binomial");
    EXPECT_EQ(name(CollectiveOp::allreduce, 16, 8), "allreduce_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::allreduce, 16, 127), "allreduce_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::allreduce, 16, 128), "allreduce_rabenseifner");
    EXPECT_EQ(name(CollectiveOp::reduce, 16, 2048), "reduce_binomial");
    EXPECT_EQ(name(CollectiveOp::reduce, 16, 2056), "reduce_scatter_gather");
    EXPECT_EQ(name(CollectiveOp::allgather, 16, 32767), "allgather_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::allgather, 16, 32768), "allgather_ring");
    EXPECT_EQ(name(CollectiveOp::allgather, 10, 8191), "allgather_bruck");
    EXPECT_EQ(name(CollectiveOp::allgather, 10, 8192), "allgather_ring");
    EXPECT_EQ(name(CollectiveOp::alltoall, 9, 256), "alltoall_bruck");
    EXPECT_EQ(name(CollectiveOp::alltoall, 9, 257), "alltoall_pairwise");
    EXPECT_EQ(name(CollectiveOp::alltoall, 8, 8), "alltoall_pairwise");
    EXPECT_EQ(name(CollectiveOp::reduce_scatter, 16, 524287), "reduce_scatter_halving");
    EXPECT_EQ(name(CollectiveOp::reduce_scatter, 16, 524288), "reduce_scatter_pairwise");
    EXPECT_EQ(name(CollectiveOp::scan, 16, 8), "scan_recursive_doubling");
    EXPECT_EQ(name(CollectiveOp::exscan, 16, 8), "exscan_recursive_doubling");
}

TEST(RulesOf, TheLibraryOfTheProfileDecides) {
    const auto rules = [](const char* library) {
        Profile profile;
        profile.mpi_library = library;
        return rules_of(profile);
    };
    EXPECT_EQ(rules("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
              CollectiveRules::open_mpi_4);
    EXPECT_EQ(rules("Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7"),
              CollectiveRules::open_mpi_5);
    EXPECT_EQ(rules("Open MPI v10.0.0"), CollectiveRules::open_mpi_5);
    EXPECT_EQ(rules("Open MPI v5.1.0a1"), CollectiveRules::open_mpi_5);
    EXPECT_EQ(rules("MPICH Version:      4.0.2"), CollectiveRules::mpich_4);
    EXPECT_EQ(rules("Intel(R) MPI Library 2021.11 for Linux* OS"), CollectiveRules::mpich_4);
    EXPECT_EQ(rules("MPI VERSION    : CRAY MPICH version 8.1.28"), CollectiveRules::mpich_4);
    EXPECT_EQ(rules("MVAPICH2 Version      :\t2.3.7"), CollectiveRules::mpich_4);
    EXPECT_EQ(rules(""), CollectiveRules::open_mpi_4);
}

TEST(ChooseSchedule, HasAnAnswerForEverything) {
    for (std::uint8_t op = 0; op < static_cast<std::uint8_t>(CollectiveOp::count_); ++op) {
        for (const std::uint32_t n : {1U, 2U, 3U, 8U, 100U, 1000U, 100'000U}) {
            for (const std::uint64_t bytes : {0ULL, 100ULL, 1ULL << 40U}) {
                const auto wanted = static_cast<CollectiveOp>(op);
                for (const CollectiveRulesName& rules : collective_rules_names)
                    EXPECT_EQ(choose_schedule(rules.rules, wanted, {n, 0, bytes}).op, wanted);
            }
        }
    }
}

/// By step, those of all members.
std::map<std::uint64_t, std::vector<ScheduledMessage>> steps_of(
    const std::vector<ScheduledMessage>& messages) {
    std::map<std::uint64_t, std::vector<ScheduledMessage>> steps;
    for (const ScheduledMessage& m : messages)
        for (std::uint64_t i = 0; i < m.count; ++i) steps[m.step + i].push_back(m);
    return steps;
}

TEST(Schedule, StepsFollowOneAnother) {
    for (const ScheduleInfo& info : schedule_table())
        for (std::uint32_t n = 2; n <= 17; ++n) {
            const auto steps = steps_of(expand(info.name, {n, n / 2, 1000}));
            std::uint64_t expected = 0;
            for (const auto& [step, messages] : steps) EXPECT_EQ(step, expected++) << info.name;
        }
}

TEST(Schedule, NobodySendsTwiceInAStepButToAllAtOnce) {
    for (const ScheduleInfo& info : schedule_table()) {
        if (info.name.ends_with("_linear") && info.op != CollectiveOp::scan &&
            info.op != CollectiveOp::exscan)
            continue;
        for (std::uint32_t n = 2; n <= 17; ++n)
            for (const auto& [step, messages] : steps_of(expand(info.name, {n, n / 2, 1000}))) {
                std::set<std::uint32_t> sources;
                std::set<std::uint32_t> destinations;
                for (const ScheduledMessage& m : messages) {
                    EXPECT_TRUE(sources.insert(m.source).second) << info.name << " " << n;
                    EXPECT_TRUE(destinations.insert(m.destination).second) << info.name << " " << n;
                }
            }
    }
}

TEST(Schedule, ABroadcastSendsWhatHasComeInEarlierSteps) {
    for (const ScheduleInfo& info : schedule_table()) {
        if (info.op != CollectiveOp::bcast) continue;
        for (std::uint32_t n = 2; n <= 17; ++n) {
            const std::uint32_t root = n / 3;
            std::set<std::uint32_t> informed{root};
            for (const auto& [step, messages] : steps_of(expand(info.name, {n, root, 1000}))) {
                for (const ScheduledMessage& m : messages)
                    EXPECT_TRUE(informed.contains(m.source)) << info.name << " " << n;
                for (const ScheduledMessage& m : messages) informed.insert(m.destination);
            }
            EXPECT_EQ(informed.size(), n) << info.name;
        }
    }
}

TEST(Schedule, AReductionTreeSendsUpWhenAllHasCome) {
    for (const std::string_view name : {"reduce_binomial", "reduce_chain", "gather_binomial"})
        for (std::uint32_t n = 2; n <= 17; ++n) {
            std::map<std::uint32_t, std::uint64_t> sent_in;
            const auto messages = expand(name, {n, n / 3, 1000});
            for (const ScheduledMessage& m : messages) sent_in[m.source] = m.step;
            for (const ScheduledMessage& m : messages) {
                if (!sent_in.contains(m.destination)) continue;  // the root
                EXPECT_LT(m.step, sent_in[m.destination]) << name << " " << n;
            }
        }
}

}  // namespace
}  // namespace commmap
