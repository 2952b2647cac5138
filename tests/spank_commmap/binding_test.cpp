#include "spank_commmap/binding.hpp"

#include <gmock/gmock.h>
#include <sched.h>

#include <numeric>
#include <random>

namespace commmap::spank {
namespace {

using testing::ElementsAre;

const std::vector<unsigned> order = {
    0, 2, 4, 6, 1, 3, 5, 7};  // two packages whose CPUs the system numbers in turn
const CpuSet all = {0, 1, 2, 3, 4, 5, 6, 7};

CpuSet chosen(const CpuSet& allowed, const std::vector<CpuSet>& masks,
              const std::vector<std::uint32_t>& slots, std::size_t local_id) {
    const auto cpus = choose_cpus(order, allowed, masks, slots, local_id);
    return cpus ? cpus.value() : CpuSet{};
}

TEST(CpuMasks, ReadsSlurmsList) {
    EXPECT_THAT(parse_cpu_masks("0x1").value(), ElementsAre(CpuSet{0}));
    EXPECT_THAT(parse_cpu_masks("0x3,0xC,0x000000A0").value(),
                ElementsAre(CpuSet{0, 1}, CpuSet{2, 3}, CpuSet{5, 7}));
    EXPECT_THAT(parse_cpu_masks("0x1000000000000000000").value(), ElementsAre(CpuSet{72}));
}

TEST(CpuMasks, RefusesEverythingElse) {
    for (const char* text : {"", "0x", "1", "0x1,", "0xg", ",0x1", "0x1 ", "quiet", "0x1,,0x2"})
        EXPECT_FALSE(parse_cpu_masks(text)) << text;
    EXPECT_FALSE(parse_cpu_masks("0x" + std::string(100000, '1')));
    std::mt19937 random(1);
    for (int round = 0; round < 10000; ++round) {
        std::string text;
        for (auto length = random() % 12; length > 0; --length) text += "0x1fF,,g "[random() % 9];
        static_cast<void>(parse_cpu_masks(text));
    }
}

TEST(ChooseCpus, CountsSlotsInLogicalOrderAmongTheAllowed) {
    const std::vector<std::uint32_t> slots{0, 1, 4, 2, 3, 5, 6, 7};
    EXPECT_THAT(chosen(all, {}, slots, 1), ElementsAre(2));
    EXPECT_THAT(chosen(all, {}, slots, 2), ElementsAre(1));
    EXPECT_THAT(chosen({1, 4, 6, 7}, {}, {3, 2, 0, 1}, 0), ElementsAre(7));
    EXPECT_THAT(chosen({1, 4, 6, 7}, {}, {3, 2, 0, 1}, 1), ElementsAre(1));
    EXPECT_THAT(chosen({1, 4, 6, 7}, {}, {3, 2, 0, 1}, 2), ElementsAre(4));
}

TEST(ChooseCpus, LeavesThreadsTheirCpusWhenTheTasksDoNotFillThem) {
    const auto cpus = choose_cpus(order, all, {}, std::vector<std::uint32_t>{0, 4}, 1);
    ASSERT_FALSE(cpus);
    EXPECT_NE(cpus.error().message.find("2 tasks may use 8 CPUs"), std::string::npos);
}

TEST(ChooseCpus, PermutesSlurmsMasks) {
    // Cores of two threads: CPUs 0+2, 4+6, 1+3, 5+7 in logical order.
    const std::vector<CpuSet> cores = {{0, 2}, {1, 3}, {4, 6}, {5, 7}};

    EXPECT_THAT(chosen(all, cores, {6, 2, 0, 4}, 0), ElementsAre(5, 7));
    EXPECT_THAT(chosen(all, cores, {6, 2, 0, 4}, 1), ElementsAre(4, 6));
    EXPECT_THAT(chosen(all, cores, {6, 2, 0, 4}, 3), ElementsAre(1, 3));
}

TEST(ChooseCpus, ASharedMaskIsNoPlaceOfItsOwn) {
    const CpuSet two{0, 2};
    EXPECT_THAT(chosen(two, {two, two}, {1, 0}, 0), ElementsAre(2));
    EXPECT_THAT(chosen({0, 2, 4, 6}, {{0, 2}, {4, 6}}, {0, 1, 2, 3}, 1),
                ElementsAre(2));  // two slots in one mask
    EXPECT_FALSE(choose_cpus(order, all, std::vector<CpuSet>{all, all},
                             std::vector<std::uint32_t>{4, 0}, 0));
}

TEST(ChooseCpus, FewerCpusThanSlots) {
    EXPECT_FALSE(choose_cpus(order, {0, 1}, {}, std::vector<std::uint32_t>{0, 2}, 0));
    EXPECT_FALSE(choose_cpus(order, {}, {}, std::vector<std::uint32_t>{0}, 0));
    EXPECT_FALSE(choose_cpus(order, all, {}, std::vector<std::uint32_t>{0}, 1));
}

TEST(BindTask, BindsInsideWhatTheTaskMayUse) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);

    std::vector<std::uint32_t> slots(static_cast<std::size_t>(CPU_COUNT(&before)));
    std::iota(slots.begin(), slots.end(), 0U);

    const Status bound = bind_task("", slots, 0);

    ASSERT_TRUE(bound) << bound.error().message;
    cpu_set_t after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_EQ(CPU_COUNT(&after), 1);
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(BindTask, ARefusedCpuLeavesTheOldBinding) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);

    EXPECT_FALSE(
        bind_task("0x8" + std::string(200, '0'), std::vector<std::uint32_t>{0}, 0));  // CPU 803

    cpu_set_t after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace commmap::spank
