// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/machine_files.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

const std::vector<PuId> in_order{0, 1, 2, 3};
const std::vector<PuId> crossed{2, 0, 3, 1};  // ranks 0 and 2 on n1, 1 and 3 on n0

/// Node n0 of two cores with two PUs each: PUs 0 1 | 2 3.
Hct two_cores_of_two() {
    const Port port = sample_port(1e9);
    const SampleElement core{Level::core, port, {{Level::pu, port, {}}, {Level::pu, port, {}}}};
    return sample_hct({Level::node, port, {core, core}, "n0"});
}

std::string rankfile(const Hct& hct, const std::vector<PuId>& placement, std::uint32_t cpus = 1) {
    return open_mpi_pu_rankfile({hct, placement, placement, cpus}).value();
}

TEST(OpenMpiPuRankfile, NamesNodeAndPu) {
    EXPECT_EQ(rankfile(two_nodes_of_two(), crossed),
              "rank 0=n1 slot=0\nrank 1=n0 slot=0\nrank 2=n1 slot=1\nrank 3=n0 slot=1\n");
}

TEST(OpenMpiPuRankfile, GivesAWholeCoreToARankThatIsAloneOnIt) {
    EXPECT_EQ(rankfile(two_cores_of_two(), {2, 0}), "rank 0=n0 slot=2-3\nrank 1=n0 slot=0-1\n");
    EXPECT_EQ(rankfile(two_cores_of_two(), {3, 0, 2}),
              "rank 0=n0 slot=3\nrank 1=n0 slot=0-1\nrank 2=n0 slot=2\n");
}

TEST(OpenMpiPuRankfile, GivesATaskItsCpusButNobodyElses) {
    const Hct hct = sample_hct(sample_node("n0", 6, sample_port(1e8), sample_port(1e9)));

    EXPECT_EQ(rankfile(hct, {3, 0}, 2), "rank 0=n0 slot=3-4\nrank 1=n0 slot=0-1\n");
    EXPECT_EQ(rankfile(hct, {3, 0, 4}, 3),
              "rank 0=n0 slot=3\nrank 1=n0 slot=0-2\nrank 2=n0 slot=4-5\n");
}

TEST(HostCounts, CountsRanksInARow) {
    const Hct hct = two_nodes_of_two();
    EXPECT_EQ(host_counts({hct, in_order, in_order}).value(), "n0:2\nn1:2\n");
    EXPECT_EQ(host_counts({hct, crossed, in_order}).value(), "n1:1\nn0:1\nn1:1\nn0:1\n");
    EXPECT_EQ(host_counts({hct, {}, {}}).value(), "");
}

TEST(MpichRankmap, NumbersNodesAsTheJobListsThem) {
    const Hct hct = two_nodes_of_two();
    EXPECT_EQ(mpich_rankmap({hct, crossed, in_order}).value(), "1,0,1,0\n");
}

TEST(MpichRankmap, RefusesANodeWithoutRanks) {
    const std::vector<PuId> one_node{2, 3};

    const auto text = mpich_rankmap({two_nodes_of_two(), one_node, one_node});

    ASSERT_FALSE(text);
    EXPECT_THAT(text.error().message, HasSubstr("'n0' has no rank"));
}

TEST(MpichRankOrder, ListsTheRankAtEachOfSlurmsPlaces) {
    const Hct hct = two_nodes_of_two();
    EXPECT_EQ(mpich_rank_order({hct, in_order, in_order}).value(), "0,1\n2,3\n");
    EXPECT_EQ(mpich_rank_order({hct, crossed, in_order}).value(), "1,3\n0,2\n");
    // Slurm's task 0 is on n1: the first number is who runs there
    const std::vector<PuId> cyclic{2, 0, 3, 1};
    EXPECT_EQ(mpich_rank_order({hct, in_order, cyclic}).value(), "2\n0\n3\n1\n");
}

TEST(MpichRankOrder, SaysARowAsARange) {
    // The order of the LUMI documentation's example, whose output is known: on two nodes of four,
    // "0,1,4,5,2,3,6,7" runs ranks 0, 1, 4 and 5 on the first node.
    const Hct hct = uniform_tree({2, 4});
    const std::vector<PuId> places{0, 1, 2, 3, 4, 5, 6, 7};
    const std::vector<PuId> lumi{0, 1, 4, 5, 2, 3, 6, 7};  // PU of each rank

    EXPECT_EQ(mpich_rank_order({hct, lumi, places}).value(), "0,1,4,5\n2,3,6,7\n");
    EXPECT_EQ(mpich_rank_order({hct, places, places}).value(), "0-3\n4-7\n");
}

TEST(MpichRankOrder, RefusesPlacesThatSlurmDoesNotHave) {
    const std::vector<PuId> elsewhere{0, 1, 2};
    const std::vector<PuId> slurms{0, 1, 3};

    EXPECT_FALSE(mpich_rank_order({two_nodes_of_two(), elsewhere, slurms}));
}

}  // namespace
}  // namespace commmap
