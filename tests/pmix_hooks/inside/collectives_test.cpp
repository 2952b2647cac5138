// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Random collective calls under mpirun, run by this library and by MPI alone: the results are the
// same. programs/collectives_check.cpp has the calls.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "support/mpirun_test.hpp"

namespace commmap {
namespace {

const std::string library = COMMMAP_INSIDE_LIBRARY;
const std::string programs = COMMMAP_INSIDE_PROGRAMS;

/// Rules for communicators of all sizes up to 33, some sizes native between.
std::string rules() {
    std::string text;
    for (int ranks = 2; ranks <= 33; ++ranks) {
        const std::string of = " " + std::to_string(ranks) + " ";
        text += "bcast" + of + "1000 chain 256; bcast" + of + "20000 chain 4096; ";
        text += "allgather" + of + "100 ring; allgather" + of + "9000 native; ";
        text += "allgather" + of + "20000 ring; allreduce" + of + "500 ring; ";
    }
    return text;
}

class InsideTest : public MpirunTest {
protected:
    /// @param arguments  of collectives_check
    Outcome check(int num_ranks, const std::string& arguments,
                  const std::string& choices = rules()) {
        return run(num_ranks, "collectives_check " + arguments, choices);
    }
    Outcome run(int num_ranks, const std::string& program, const std::string& choices = rules()) {
        return mpirun_path(num_ranks, programs + "/" + program,
                           "-x LD_PRELOAD=" + library +
                               " -x COMMMAP_INSIDE_VERBOSE=1 -x 'COMMMAP_INSIDE_RULES=" + choices +
                               "'");
    }
};

/// How many calls of rank 0 were run by this library; -1 where the line says something else.
int chosen_calls(const Outcome& outcome) {
    int calls = -1;
    const char* form = "commmap: %d collective calls of rank 0 were not run natively";
    return std::sscanf(outcome.err.c_str(), form, &calls) == 1 ? calls : -1;
}

struct Run {
    int ranks;
    const char* layout;
    int calls;
};
class InsideOnRanks : public InsideTest, public testing::WithParamInterface<Run> {};

TEST_P(InsideOnRanks, RandomCallsGiveWhatNativeOnesGive) {
    const auto [ranks, layout, calls] = GetParam();
    const Outcome outcome =
        check(ranks, std::to_string(ranks) + " " + std::to_string(calls) + " " + layout);

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, std::to_string(calls) + " calls, 0 wrong\n");
    EXPECT_GT(chosen_calls(outcome), calls / 5) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(All, InsideOnRanks,
                         testing::Values(Run{2, "block", 200}, Run{3, "random", 200},
                                         Run{5, "cyclic", 200}, Run{8, "random", 200},
                                         Run{13, "cyclic", 100}, Run{17, "random", 40}),
                         [](const auto& run) {
                             return std::to_string(run.param.ranks) + "_" + run.param.layout;
                         });

TEST_F(InsideTest, RanksOfANodeStandNextToEachOther) {
    const auto printed = [&](const std::string& arguments) {
        const Outcome outcome = mpirun_path(7, programs + "/order_check " + arguments, "");
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_EQ(printed("3"), "0 3 6 1 4 2 5 \n");
    EXPECT_EQ(printed("7"), "0 1 2 3 4 5 6 \n");
    EXPECT_EQ(printed("3 4"), "no order\n");  // for no rank, where one has no room
}

TEST_F(InsideTest, ProgramsInFortranGetTheSame) {
    for (const char* form : {"f77", "mpi", "f08"}) {
        const Outcome outcome = run(5, std::string("collectives_") + form);
        EXPECT_EQ(outcome.out, "right\n") << form << ": " << outcome.err;
        EXPECT_EQ(chosen_calls(outcome), 5) << form << ": " << outcome.err;
    }
}

TEST_F(InsideTest, ProgramsMayMakeMoreCommunicatorsThanGetAnOrder) {
    const Outcome outcome = check(3, "1 0 block 80");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "0 calls, 0 wrong\n");
    // Of four calls on a communicator that passes the last two; of 80 at once 64 get an order, for
    // their third call.
    EXPECT_EQ(chosen_calls(outcome), 80 * 2 + 64) << outcome.err;
}

TEST_F(InsideTest, AllRanksAreNativeWhereOneHasOtherChoices) {
    for (const char* kind : {"one-more-choice", "one-without"}) {
        const Outcome outcome = check(5, std::string("1 50 ") + kind);
        EXPECT_EQ(outcome.exit_code, 0) << kind;
        EXPECT_EQ(outcome.err,
                  "commmap: collectives stay native: not all ranks have this library and the same "
                  "choices\n")
            << kind;
    }
}

TEST_F(InsideTest, ARuleThatIsNoneLeavesAllCallsNative) {
    const Outcome outcome = check(3, "1 50 block", "bcast 3 1 faster");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(
        outcome.err,
        "commmap: collectives stay native: rule 'bcast 3 1 faster': the operation has no such "
        "algorithm\n");
}

TEST_F(InsideTest, RulesOfAnotherLibraryLeaveAllCallsNative) {
    const Outcome outcome = check(3, "1 50 block", "for Another MPI v1;" + rules());
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "50 calls, 0 wrong\n");
    EXPECT_NE(outcome.err.find("commmap: collectives stay native: they were measured with another "
                               "MPI library than Open MPI v"),
              std::string::npos)
        << outcome.err;
}

}  // namespace
}  // namespace commmap
