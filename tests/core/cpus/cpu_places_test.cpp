// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_places.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace commmap {
namespace {

using testing::ElementsAre;

/// A machine in which each group of a level has the same number of parts.
CpuTree regular(const std::vector<std::uint32_t>& arities) {
    std::uint32_t cpus = 1;
    for (const std::uint32_t arity : arities) cpus *= arity;
    CpuTree tree;
    tree.groups.push_back({0, cpus, 0, 0});
    std::size_t begin = 0;
    for (const std::uint32_t arity : arities) {
        const std::size_t end = tree.groups.size();
        for (std::size_t parent = begin; parent < end; ++parent) {
            tree.groups[parent].first_child = static_cast<std::uint32_t>(tree.groups.size());
            tree.groups[parent].num_children = arity;
            const CpuTree::Group whole = tree.groups[parent];
            const std::uint32_t each = whole.num_cpus / arity;
            for (std::uint32_t part = 0; part < arity; ++part)
                tree.groups.push_back({whole.first_cpu + part * each, each, 0, 0});
        }
        begin = end;
    }
    return tree;
}

/// Groups of these sizes, of CPUs that are alike.
CpuTree uneven(const std::vector<std::uint32_t>& sizes) {
    CpuTree tree;
    tree.groups.push_back({0, 0, 1, static_cast<std::uint32_t>(sizes.size())});
    for (const std::uint32_t size : sizes) {
        tree.groups.push_back({tree.groups.front().num_cpus, size, 0, 0});
        tree.groups.front().num_cpus += size;
    }
    return tree;
}

std::vector<CpuPlace> divided(const CpuTree& tree, std::uint32_t tasks, std::uint32_t size) {
    const auto places = divide_cpus(tree, tasks, size);
    EXPECT_TRUE(places) << places.error().message;
    return places ? places.value() : std::vector<CpuPlace>{};
}

const CpuTree two_packages_of_two_cores_of_two = regular({2, 2, 2});

TEST(DivideCpus, SpreadsSingleCpusOverPackagesThenCoresThenThreads) {
    const CpuTree& tree = two_packages_of_two_cores_of_two;
    EXPECT_THAT(divided(tree, 2, 1), ElementsAre(CpuPlace{0}, CpuPlace{4}));
    EXPECT_THAT(divided(tree, 4, 1),
                ElementsAre(CpuPlace{0}, CpuPlace{2}, CpuPlace{4}, CpuPlace{6}));
    EXPECT_THAT(divided(tree, 3, 1), ElementsAre(CpuPlace{0}, CpuPlace{2}, CpuPlace{4}));
}

TEST(DivideCpus, ATasksCpusShareTheClosestCache) {
    const CpuTree& tree = two_packages_of_two_cores_of_two;
    EXPECT_THAT(divided(tree, 3, 2), ElementsAre(CpuPlace{0, 1}, CpuPlace{2, 3}, CpuPlace{4, 5}));
    EXPECT_THAT(divided(tree, 2, 4), ElementsAre(CpuPlace{0, 1, 2, 3}, CpuPlace{4, 5, 6, 7}));
    EXPECT_THAT(divided(tree, 2, 3), ElementsAre(CpuPlace{0, 1, 2}, CpuPlace{4, 5, 6}));
    EXPECT_THAT(divided(tree, 1, 8), ElementsAre(CpuPlace{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(DivideCpus, CrossesAGroupsEdgeOnlyForTheLastTasks) {
    // Two groups of four for three tasks of two and a half: 2 inside each, the rest from both.
    EXPECT_THAT(divided(uneven({5, 3}), 2, 4),
                ElementsAre(CpuPlace{0, 1, 2, 3}, CpuPlace{4, 5, 6, 7}));
    EXPECT_THAT(divided(uneven({3, 5}), 1, 4), ElementsAre(CpuPlace{3, 4, 5, 6}));
    EXPECT_THAT(divided(uneven({3, 3, 2}), 4, 2),
                ElementsAre(CpuPlace{0, 1}, CpuPlace{2, 5}, CpuPlace{3, 4}, CpuPlace{6, 7}));
}

TEST(DivideCpus, RefusesMoreThanThereIs) {
    EXPECT_FALSE(divide_cpus(uneven({3, 3}), 4, 2));
    EXPECT_FALSE(divide_cpus(uneven({3, 3}), 1, 0));
    EXPECT_FALSE(divide_cpus(CpuTree{}, 1, 1));
    EXPECT_THAT(divided(CpuTree{}, 0, 1), ElementsAre());
}

/// Any tree, also with groups that have one CPU only or one part only.
CpuTree random_tree(std::mt19937& random) {
    CpuTree tree;
    tree.groups.push_back({0, 1 + static_cast<std::uint32_t>(random() % 40), 0, 0});
    for (std::size_t next = 0; next < tree.groups.size(); ++next) {
        const CpuTree::Group whole = tree.groups[next];
        if (whole.num_cpus == 1 || random() % 4 == 0) continue;
        tree.groups[next].first_child = static_cast<std::uint32_t>(tree.groups.size());
        for (std::uint32_t begin = 0; begin < whole.num_cpus;) {
            const std::uint32_t size = std::min<std::uint32_t>(
                whole.num_cpus - begin, 1 + static_cast<std::uint32_t>(random() % whole.num_cpus));
            tree.groups.push_back({whole.first_cpu + begin, size, 0, 0});
            ++tree.groups[next].num_children;
            begin += size;
            if (tree.groups.size() > 200) {  // the rest of it is one group
                if (begin < whole.num_cpus) {
                    tree.groups.push_back({whole.first_cpu + begin, whole.num_cpus - begin, 0, 0});
                    ++tree.groups[next].num_children;
                }
                return tree;
            }
        }
    }
    return tree;
}

TEST(DivideCpus, NoCpuTwiceAndNoEdgeCrossedInVain) {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const CpuTree tree = random_tree(random);
        const std::uint32_t cpus = tree.groups.front().num_cpus;
        const std::uint32_t size = 1 + static_cast<std::uint32_t>(random() % cpus);
        const std::uint32_t most = cpus / size;
        const std::uint32_t tasks = 1 + static_cast<std::uint32_t>(random() % most);

        const auto places = divided(tree, tasks, size);

        ASSERT_EQ(places.size(), tasks);
        ASSERT_TRUE(std::is_sorted(places.begin(), places.end()));
        std::set<std::uint32_t> used;
        for (const CpuPlace& place : places) {
            ASSERT_EQ(place.size(), size);
            ASSERT_TRUE(std::is_sorted(place.begin(), place.end()));
            ASSERT_LT(place.back(), cpus);
            used.insert(place.begin(), place.end());
        }
        ASSERT_EQ(used.size(), std::size_t{tasks} * size);
        if (tasks < most) continue;
        for (const CpuTree::Group& group : tree.groups) {
            const auto inside = std::count_if(places.begin(), places.end(), [&](const auto& place) {
                return place.front() >= group.first_cpu &&
                       place.back() < group.first_cpu + group.num_cpus;
            });
            ASSERT_EQ(static_cast<std::uint32_t>(inside), group.num_cpus / size);
        }
    }
}

}  // namespace
}  // namespace commmap
