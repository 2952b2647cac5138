// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <metis.h>

#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/construction/metis_mapper.hpp"
#include "core/mapping/construction/metis_partition.hpp"
#include "core/mapping/problems.hpp"

namespace {
int metis_answer = METIS_ERROR;
bool wrong_parts = false;

int fake(const idx_t* num_vertices, idx_t* part) {
    if (wrong_parts) std::fill(part, part + *num_vertices, 99);
    return metis_answer;
}
}  // namespace

// The program's own definitions come before the library's.
extern "C" {
int METIS_PartGraphKway(idx_t* nvtxs, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*,
                        real_t*, real_t*, idx_t*, idx_t*, idx_t* part) {
    return fake(nvtxs, part);
}
int METIS_PartGraphRecursive(idx_t* nvtxs, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*, idx_t*,
                             real_t*, real_t*, idx_t*, idx_t*, idx_t* part) {
    return fake(nvtxs, part);
}
}

namespace commmap {
namespace {

TEST(MetisFailure, MetisUsesGreedyAndSaysSo) {
    const OwnedProblem problem = problem_on("", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2());
    const auto greedy = map_greedy(problem.view(), {});
    struct Case {
        int code;
        const char* note;
    };
    for (const Case c :
         {Case{METIS_ERROR,
               "METIS failed (unknown error, code -4): the placement of the mapper greedy is used"},
          Case{METIS_ERROR_MEMORY,
               "METIS failed (out of memory, code -3): the placement of the mapper greedy is used"},
          Case{
              METIS_ERROR_INPUT,
              "METIS failed (wrong input, code -2): the placement of the mapper greedy is used"}}) {
        metis_answer = c.code;
        wrong_parts = false;

        const auto mapping = map_metis(problem.view(), {});

        ASSERT_TRUE(mapping) << mapping.error().message;
        EXPECT_EQ(mapping.value().pu_of_rank, greedy.value().pu_of_rank);
        ASSERT_FALSE(mapping.value().notes.empty());
        EXPECT_EQ(mapping.value().notes[0], c.note);
    }
}

TEST(MetisFailure, PartsOutOfRangeAreAnErrorToo) {
    metis_answer = METIS_OK;
    wrong_parts = true;
    const WeightedGraph edge{{0, 1, 2}, {1, 0}, {1, 1}};
    const std::vector<std::uint32_t> sizes{1, 1};

    const auto part = metis_partition(edge, sizes, 1);

    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, Errc::library);
}

}  // namespace
}  // namespace commmap
