// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/otf2_collective.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

constexpr auto score_p = CollectiveSizes::all_members;
constexpr std::uint64_t members = 5;
constexpr std::uint64_t length = 7;

/// Of a rank that is not the root, and of the root, as Score-P counts.
void expect_rooted(CollectiveOp op, bool to_all) {
    const auto bytes = [&](bool is_root, std::uint64_t part, std::uint64_t all) {
        return member_bytes({.op = op,
                             .sent_bytes = to_all ? all : part,
                             .received_bytes = to_all ? part : all,
                             .num_members = members,
                             .is_root = is_root},
                            score_p);
    };
    EXPECT_EQ(bytes(false, length, 0), length);
    EXPECT_EQ(bytes(true, length, members * length), length);
    EXPECT_EQ(bytes(true, 0, (members - 1) * length), length) << "in place";
}

TEST(Otf2Collective, ScorePRooted) {
    expect_rooted(CollectiveOp::bcast, true);
    expect_rooted(CollectiveOp::scatter, true);
    expect_rooted(CollectiveOp::gather, false);
    expect_rooted(CollectiveOp::reduce, false);
}

TEST(Otf2Collective, ScorePAllToAll) {
    for (const CollectiveOp op :
         {CollectiveOp::allreduce, CollectiveOp::allgather, CollectiveOp::alltoall}) {
        EXPECT_EQ(
            member_bytes(
                {.op = op, .sent_bytes = 5 * 7, .received_bytes = 5 * 7, .num_members = members},
                score_p),
            7U);
        EXPECT_EQ(
            member_bytes(
                {.op = op, .sent_bytes = 4 * 7, .received_bytes = 4 * 7, .num_members = members},
                score_p),
            7U)
            << "in place";
    }
    EXPECT_EQ(member_bytes({.op = CollectiveOp::reduce_scatter,
                            .sent_bytes = 35,
                            .received_bytes = 5,
                            .num_members = members},
                           score_p),
              35U);
}

TEST(Otf2Collective, ScorePScans) {
    for (std::uint64_t me = 0; me < members; ++me) {
        const auto bytes = [&](CollectiveOp op, std::uint64_t itself) {
            return member_bytes({.op = op,
                                 .sent_bytes = (members - me - 1 + itself) * length,
                                 .received_bytes = (me + itself) * length,
                                 .num_members = members,
                                 .position = me},
                                score_p);
        };
        EXPECT_EQ(bytes(CollectiveOp::scan, 1), length);
        EXPECT_EQ(bytes(CollectiveOp::scan, 0), length) << "in place";
        EXPECT_EQ(bytes(CollectiveOp::exscan, 0), length);
    }
}

TEST(Otf2Collective, ScorePOfOneMemberOrNone) {
    for (int op = 0; op < static_cast<int>(CollectiveOp::count_); ++op)
        for (std::uint64_t size : {0U, 1U})
            EXPECT_LE(member_bytes({.op = static_cast<CollectiveOp>(op),
                                    .sent_bytes = 8,
                                    .received_bytes = 8,
                                    .num_members = size,
                                    .is_root = true},
                                   score_p),
                      8U);
}

TEST(Otf2Collective, EzTraceHasTheBuffer) {
    EXPECT_EQ(member_bytes({.op = CollectiveOp::allgather,
                            .sent_bytes = 28,
                            .received_bytes = 28,
                            .num_members = 4},
                           CollectiveSizes::buffer),
              28U);
    EXPECT_EQ(
        member_bytes(
            {.op = CollectiveOp::scatter, .sent_bytes = 0, .received_bytes = 24, .num_members = 4},
            CollectiveSizes::buffer),
        24U);
}

}  // namespace
}  // namespace commmap
