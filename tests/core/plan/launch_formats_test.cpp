// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/launch_formats.hpp"

#include <gmock/gmock.h>

#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;

const std::vector<PuId> crossed{
    0, 3, 1, 2};  // ranks 0 and 2 on n0, 3 and 1 on n1 with their candidate PUs swapped

TEST(Hostfile, HasOneNamePerRank) {
    EXPECT_EQ(slurm_hostfile(two_nodes_of_two(), crossed), "n0\nn1\nn0\nn1\n");
    EXPECT_EQ(node_order(two_nodes_of_two(), crossed), "0,1,0,1");
    EXPECT_EQ(node_order(two_nodes_of_two(), std::vector<PuId>{2, 3, 1, 0}), "1x2,0x2");
}

TEST(Rankfile, NamesNodeAndSlot) {
    EXPECT_EQ(open_mpi_rankfile(two_nodes_of_two(), crossed),
              "rank 0=n0 slot=0\nrank 1=n1 slot=1\nrank 2=n0 slot=1\nrank 3=n1 slot=0\n");
}

TEST(Rankfile, CountsCoresNotThreads) {
    const Port port = sample_port(1e9);
    const SampleElement core{Level::core, port, {{Level::pu, port, {}}, {Level::pu, port, {}}}};
    const Hct hct = sample_hct({Level::node, port, {core, core}, "n0"});

    EXPECT_EQ(open_mpi_rankfile(hct, std::vector<PuId>{2, 0}),
              "rank 0=n0 slot=1\nrank 1=n0 slot=0\n");
}

TEST(CpuSetPatterns, FoldsEqualNodes) {
    const Hct hct = two_nodes_of_two();
    EXPECT_EQ(cpu_set_patterns(hct, std::vector<PuId>{0, 1, 2, 3}), "0,1@0x2");
    EXPECT_EQ(cpu_set_patterns(hct, crossed), "0,1/1,0@0x1,1x1");
    EXPECT_EQ(cpu_set_patterns(hct, std::vector<PuId>{3, 2}), "/1,0@0x1,1x1")
        << "a node without tasks has the empty pattern";
    EXPECT_EQ(cpu_set_patterns(hct, std::vector<PuId>{3, 1}), "0@0x2")
        << "places are counted, not PUs";
}

TEST(CpuSetOfRank, CountsThePlacesThatAreUsed) {
    const Hct hct = two_nodes_of_two();
    EXPECT_EQ(cpu_set_of_rank(hct, crossed), (std::vector<std::uint32_t>{0, 1, 1, 0}));
    EXPECT_EQ(cpu_set_of_rank(hct, std::vector<PuId>{3, 1}), (std::vector<std::uint32_t>{0, 0}));
}

TEST(FromHostfile, ReadsWhatItWrites) {
    const Hct hct = two_nodes_of_two();
    const std::vector<PuId> candidate_pus{0, 1, 2, 3};
    EXPECT_THAT(
        placement_from_hostfile("# order\nn1\n n0 \n\nn1\nn0\n", hct, candidate_pus, 4).value(),
        ElementsAre(2, 0, 3, 1));
}

TEST(FromHostfile, RefusesWithALineNumber) {
    const Hct hct = two_nodes_of_two();
    const std::vector<PuId> candidate_pus{0, 1, 2, 3};
    EXPECT_NE(placement_from_hostfile("n0\nn9\n", hct, candidate_pus, 2)
                  .error()
                  .message.find("line 2: node 'n9'"),
              std::string::npos);
    EXPECT_NE(placement_from_hostfile("n0\nn0\nn0\n", hct, candidate_pus, 3)
                  .error()
                  .message.find("line 3"),
              std::string::npos);
    EXPECT_FALSE(placement_from_hostfile("n0\n", hct, candidate_pus, 2));
}

}  // namespace
}  // namespace commmap
