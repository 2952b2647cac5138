// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/participation.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "pmix_hooks/programs/standin_pmix.hpp"

namespace commmap::hooks {
namespace {

constexpr int ranks_on_node = 128;
/// The most that are asked for: above, every rank records for itself (most_ranks_asked).
constexpr int size = 4096;
/// Of a rank beside the one that speaks: whether that one has the key, and what it has found.
constexpr int own_questions = 2;

/// Runs `as_rank` in a process for each rank of the node that has the recorder, all at once.
/// @return how many said that all was right
int on_all_ranks(const std::function<bool(int)>& as_rank) {
    std::vector<pid_t> processes;
    for (int rank = 0; rank < ranks_on_node; ++rank) {
        if (stand_in_server().lacks_recorder[static_cast<std::size_t>(rank)]) continue;
        const pid_t process = ::fork();
        if (process == 0) {
            be_rank(rank);
            ::_exit(as_rank(rank) ? 0 : 1);
        }
        processes.push_back(process);
    }
    int right = 0;
    for (const pid_t process : processes) {
        int status = -1;
        ::waitpid(process, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++right;
    }
    return right;
}

bool all_are_present(int rank) {
    const bool separately = Participation::asks_separately(size);
    return !separately && Participation::everyone_present(rank, size, separately).answer ==
                              Participation::Answer::all;
}

TEST(Participation, OneRankOfANodeAsksTheServerForAllAfterInit) {
    stand_in_server().begin(size, ranks_on_node, ranks_on_node);
    EXPECT_EQ(on_all_ranks(all_are_present), ranks_on_node);
    EXPECT_GE(stand_in_server().questions, size);
    EXPECT_LE(stand_in_server().questions, size + own_questions * ranks_on_node);
}

TEST(Participation, OneRankOfANodeAsksTheServerForAllAtTheEnd) {
    stand_in_server().begin(size, ranks_on_node, ranks_on_node);
    const auto leaves = [](int rank) {
        const Participation::Departure departure =
            Participation::everyone_leaving(rank, size, std::string(100, 'r'));
        return departure.everyone.answer == Participation::Answer::all && !departure.to_gather;
    };
    EXPECT_EQ(on_all_ranks(leaves), ranks_on_node);
    EXPECT_GE(stand_in_server().questions, size);
    EXPECT_LE(stand_in_server().questions, size + own_questions * ranks_on_node);
}

TEST(Participation, ARankWithoutTheRecorderIsNotAwaited) {
    constexpr int lacking = 3;
    stand_in_server().begin(size, ranks_on_node, ranks_on_node - lacking);
    for (int rank = 0; rank < lacking; ++rank)
        stand_in_server().lacks_recorder[static_cast<std::size_t>(rank)] = true;
    const auto finds_it = [](int rank) {
        const Participation::Result found = Participation::everyone_present(rank, size, false);
        return found.answer == Participation::Answer::not_all && found.missing == 0 &&
               found.is_first == (rank == lacking);
    };
    EXPECT_EQ(on_all_ranks(finds_it), ranks_on_node - lacking);
    EXPECT_EQ(stand_in_server().told[0].rank, lacking);  // else all would wait for nobody's word
    // each looks for the lowest that speaks, and that one asks until it has found both kinds
    EXPECT_LE(stand_in_server().questions, (lacking + own_questions) * ranks_on_node);
}

/// On another node, so that all have to be asked for before it is found.
TEST(Participation, OneRankAsksForAllWhereTheLastLacksTheRecorder) {
    stand_in_server().begin(size, ranks_on_node, ranks_on_node);
    stand_in_server().lacks_recorder[size - 1] = true;
    const auto finds_it = [](int rank) {
        const Participation::Result found = Participation::everyone_present(rank, size, false);
        return found.answer == Participation::Answer::not_all && found.missing == size - 1;
    };
    EXPECT_EQ(on_all_ranks(finds_it), ranks_on_node);
    EXPECT_GE(stand_in_server().questions, size);
    EXPECT_LE(stand_in_server().questions, size + own_questions * ranks_on_node);
}

TEST(Participation, AFewRanksAskForThemselves) {
    stand_in_server().begin(4, 4, 4);
    EXPECT_TRUE(Participation::asks_separately(4));
    EXPECT_TRUE(Participation::asks_separately(128));  // 4 x 128 questions
    EXPECT_FALSE(Participation::asks_separately(129));
}

}  // namespace
}  // namespace commmap::hooks
