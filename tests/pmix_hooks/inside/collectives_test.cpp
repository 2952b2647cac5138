// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Random collective calls under mpirun, run by this library and by MPI alone: the results are the
// same. programs/collectives_check.cpp has the calls.
#include <gtest/gtest.h>

#include <cstdio>
#include <initializer_list>
#include <string>

#include "support/mpirun_test.hpp"

namespace commmap {
namespace {

const std::string library = COMMMAP_INSIDE_LIBRARY;
const std::string programs = COMMMAP_INSIDE_PROGRAMS;
/// Lets coll/tuned look at its control variables.
const std::string looks_at_variables = "-x OMPI_MCA_coll_tuned_use_dynamic_rules=1";

/// Rules for communicators of all sizes up to 33, some sizes native between. Each of coll/tuned's
/// algorithms has its turn.
std::string rules() {
    const auto nth = [](std::initializer_list<const char*> names, int n) {
        return std::string(*(names.begin() + n % static_cast<int>(names.size())));
    };
    std::string text;
    for (int ranks = 2; ranks <= 33; ++ranks) {
        const auto add = [&](const std::string& op, int bytes, const std::string& algorithm) {
            text += op + " " + std::to_string(ranks) + " " + std::to_string(bytes) + " " +
                    algorithm + "; ";
        };
        const auto tuned = [&](const std::string& op, int bytes,
                               std::initializer_list<const char*> names) {
            add(op, bytes, "tuned " + nth(names, ranks));
        };
        tuned("bcast", 100, {"binomial", "binary_tree", "binomial 1024"});
        add("bcast", 1000, "chain 256");
        add("bcast", 20000, "chain 4096");
        tuned("bcast", 60000, {"split_binary_tree 4096", "scatter_allgather_ring", "pipeline 999"});
        add("allgather", 100, "ring");
        tuned("allgather", 4000, {"neighbor", "bruck", "recursive_doubling", "ring"});
        add("allgather", 9000, "native");
        add("allgather", 20000, "ring");
        tuned("allreduce", 40, {"recursive_doubling", "ring"});
        add("allreduce", 500, "ring");
        tuned("allreduce", 9000, {"rabenseifner", "segmented_ring 1024"});
        tuned("reduce", 10, {"binomial", "binary 256", "pipeline"});
        tuned("reduce", 9000, {"rabenseifner", "pipeline 1000", "binomial 4096"});
        tuned("alltoall", 4, {"linear", "pairwise"});
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
    Outcome run(int num_ranks, const std::string& program, const std::string& choices = rules(),
                const std::string& more = looks_at_variables) {
        return mpirun_path(num_ranks, programs + "/" + program,
                           more + " -x LD_PRELOAD=" + library +
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

TEST_F(InsideTest, AlgorithmsOfTheLibraryAreThoseThatWereAskedFor) {
    const std::string natively = run(4, "algorithm_check allreduce 1000", "").out;
    const auto others_stay_native = natively.substr(natively.find(", then"));
    for (const auto& [algorithm, calls] :
         {std::pair("ring", "3 of 250"), std::pair("recursive_doubling", "2 of 1000"),
          std::pair("segmented_ring 400", "6 of 125"), std::pair("rabenseifner", "2 of 500")}) {
        const Outcome outcome = run(4, "algorithm_check allreduce 1000",
                                    "allreduce 4 1 tuned " + std::string(algorithm));
        EXPECT_EQ(outcome.out, calls + others_stay_native) << algorithm << ": " << outcome.err;
        EXPECT_EQ(chosen_calls(outcome), 1) << outcome.err;
        EXPECT_EQ(outcome.exit_code, 0) << "the level of threads stays: " << outcome.err;
    }
    const Outcome reduced = run(4, "algorithm_check reduce 1000", "reduce 4 1 tuned pipeline 1000");
    EXPECT_EQ(reduced.out.substr(0, reduced.out.find(',')), "4 of 250") << reduced.err;
}

TEST_F(InsideTest, ASettingOfTheUserStands) {
    const std::string program = "algorithm_check allreduce 1000";
    const std::string rule = "allreduce 4 1 tuned ring";
    const std::string natively = run(4, program, "").out;
    for (const std::string& setting :
         {std::string("-x A=1"), std::string("-x OMPI_MCA_coll_tuned_use_dynamic_rules=0")}) {
        const Outcome outcome = run(4, program, rule, setting);
        EXPECT_EQ(outcome.out, natively) << setting;
        EXPECT_EQ(chosen_calls(outcome), 0) << setting << ": " << outcome.err;
    }
    const Outcome theirs =
        run(4, program, rule, looks_at_variables + " -x OMPI_MCA_coll_tuned_allreduce_algorithm=3");
    EXPECT_EQ(theirs.out, "2 of 1000, then 2 of 1000\n") << theirs.err;
    EXPECT_EQ(chosen_calls(theirs), 0) << theirs.err;
}

TEST_F(InsideTest, ACommunicatorThatAnotherMayMeetHasNoAlgorithms) {
    const std::string rules = "allreduce 4 1 tuned ring;allreduce 4 10000 ring";
    for (const char* how : {" several-threads", " in-background"}) {
        const Outcome tuned = run(4, std::string("algorithm_check allreduce 1000") + how, rules);
        EXPECT_EQ(chosen_calls(tuned), 0) << how << ": " << tuned.err;
        EXPECT_EQ(tuned.exit_code, 0) << how << ": " << tuned.err;
        const Outcome own = run(4, std::string("algorithm_check allreduce 4000") + how, rules);
        EXPECT_EQ(own.out.substr(0, own.out.find(',')), "3 of 1000") << how;
        EXPECT_EQ(chosen_calls(own), 1) << "the same communicator serves a ring: " << own.err;
    }
}

TEST_F(InsideTest, ProgramsInFortranGetTheSame) {
    for (const char* form : {"f77", "mpi", "f08"}) {
        const Outcome outcome = run(5, std::string("collectives_") + form);
        EXPECT_EQ(outcome.out, "right\n") << form << ": " << outcome.err;
        EXPECT_EQ(chosen_calls(outcome), 7) << form << ": " << outcome.err;
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
