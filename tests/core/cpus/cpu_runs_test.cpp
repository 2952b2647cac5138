// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_runs.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace commmap {
namespace {

using testing::ElementsAre;

/// Groups of these sizes, each of groups of two CPUs (and one more of one where it is odd).
CpuTree pairs_in(const std::vector<std::uint32_t>& sizes) {
    CpuTree tree;
    tree.groups.push_back({0, 0, 1, static_cast<std::uint32_t>(sizes.size())});
    for (const std::uint32_t size : sizes) {
        tree.groups.push_back({tree.groups.front().num_cpus, size, 0, 0});
        tree.groups.front().num_cpus += size;
    }
    for (std::size_t g = 1; g <= sizes.size(); ++g) {
        tree.groups[g].first_child = static_cast<std::uint32_t>(tree.groups.size());
        const CpuTree::Group whole = tree.groups[g];
        for (std::uint32_t cpu = 0; cpu < whole.num_cpus; cpu += 2) {
            tree.groups.push_back(
                {whole.first_cpu + cpu, std::min(2U, whole.num_cpus - cpu), 0, 0});
            ++tree.groups[g].num_children;
        }
    }
    return tree;
}

std::vector<std::uint32_t> all_of(const CpuTree& tree) {
    std::vector<std::uint32_t> cpus(tree.groups.front().num_cpus);
    std::iota(cpus.begin(), cpus.end(), 0U);
    return cpus;
}

std::vector<std::uint32_t> runs(const CpuTree& tree, const std::vector<std::uint32_t>& cpus,
                                std::uint32_t count, std::uint32_t size) {
    return choose_runs(EnclosingGroups(tree), cpus, count, size);
}

TEST(ChooseRuns, BeginWhereAGroupBeginsWhileThereIsRoom) {
    const CpuTree cores = pairs_in({8});
    EXPECT_THAT(runs(cores, all_of(cores), 2, 3), ElementsAre(0, 4));
    EXPECT_THAT(runs(cores, all_of(cores), 2, 4), ElementsAre(0, 4));
    EXPECT_THAT(runs(cores, all_of(cores), 1, 3), ElementsAre(0));
    const CpuTree caches = pairs_in({8, 8, 8, 8});
    EXPECT_THAT(runs(caches, all_of(caches), 2, 11), ElementsAre(0, 16));
}

TEST(ChooseRuns, PassOverSmallRemains) {
    const CpuTree tree = pairs_in({4, 4, 4, 4});
    // one CPU left of each of the first two, three and one of the others
    EXPECT_THAT(runs(tree, {3, 7, 9, 10, 11, 15}, 1, 3), ElementsAre(2));
    EXPECT_THAT(runs(tree, {3, 7, 9, 10, 11, 15}, 1, 4), ElementsAre(1));
    EXPECT_THAT(runs(tree, {5, 6, 7, 13, 14, 15}, 1, 5), ElementsAre(1));
}

TEST(ChooseRuns, NothingForNothing) {
    EXPECT_THAT(runs({}, {}, 0, 3), ElementsAre());
    const CpuTree tree = pairs_in({3});
    EXPECT_THAT(runs(tree, {0, 1, 2}, 1, 3), ElementsAre(0));
}

/// By the definition: groups that runs have a part of, groups in common of neighbours.
std::pair<std::size_t, std::size_t> cost(const CpuTree& tree,
                                         const std::vector<std::uint32_t>& cpus,
                                         const std::vector<std::uint32_t>& firsts,
                                         std::uint32_t size) {
    std::vector<std::set<std::size_t>> of_runs;
    for (const std::uint32_t first : firsts) {
        std::set<std::size_t>& groups = of_runs.emplace_back();
        for (std::uint32_t i = first; i < first + size; ++i) {
            for (std::size_t g = 0; g < tree.groups.size(); ++g) {
                const CpuTree::Group& group = tree.groups[g];
                if (group.num_cpus > 1 && group.num_children != 1 && cpus[i] >= group.first_cpu &&
                    cpus[i] < group.first_cpu + group.num_cpus)
                    groups.insert(g);
            }
        }
    }
    std::size_t parts = 0;
    std::size_t common = 0;
    for (std::size_t r = 0; r < of_runs.size(); ++r) {
        parts += of_runs[r].size();
        if (r == 0) continue;
        for (const std::size_t group : of_runs[r]) common += of_runs[r - 1].count(group);
    }
    return {parts, common};
}

TEST(ChooseRuns, AreAsGoodAsTheBestOfAll) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        std::vector<std::uint32_t> sizes(1 + random() % 4);
        for (std::uint32_t& size : sizes) size = 1 + static_cast<std::uint32_t>(random() % 6);
        const CpuTree tree = pairs_in(sizes);
        std::vector<std::uint32_t> cpus = all_of(tree);
        std::erase_if(cpus, [&](std::uint32_t) { return random() % 4 == 0; });
        if (cpus.empty()) continue;
        const auto left = static_cast<std::uint32_t>(cpus.size());
        const std::uint32_t size = 1 + static_cast<std::uint32_t>(random() % left);
        const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % (left / size));

        const auto found = runs(tree, cpus, count, size);

        ASSERT_EQ(found.size(), count);
        auto best = std::make_pair(std::numeric_limits<std::size_t>::max(), std::size_t{0});
        std::vector<std::uint32_t> firsts;
        const auto search = [&](auto&& self, std::uint32_t from) -> void {
            if (firsts.size() == count) {
                best = std::min(best, cost(tree, cpus, firsts, size));
                return;
            }
            for (std::uint32_t first = from; first + size <= left; ++first) {
                firsts.push_back(first);
                self(self, first + size);
                firsts.pop_back();
            }
        };
        search(search, 0);
        for (std::uint32_t r = 0; r < count; ++r) {
            ASSERT_LE(found[r] + size, left);
            ASSERT_GE(found[r], r > 0 ? found[r - 1] + size : 0U);
        }
        ASSERT_EQ(cost(tree, cpus, found, size), best) << "round " << round;
    }
}

TEST(ChooseRuns, AFlatMachineOfManyCpusTakesNoLonger) {
    CpuTree tree;
    tree.groups.push_back({0, 16384, 0, 0});
    EXPECT_EQ(runs(tree, all_of(tree), 4096, 2).size(), 4096U);
}

}  // namespace
}  // namespace commmap
