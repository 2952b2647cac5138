// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>

/// What libpmix.so.2 of the stand-in shares with its test: the PMIx server of one node, which
/// answers one question after the other, and keeps the keys of other ranks out of
/// its processes, as PMIx 5 does under Slurm. The processes of the node are ranks 0 to on_node - 1.
/// In memory of all processes that the one which loaded the library has forked.
struct StandInServer {
    static constexpr int most_ranks = 131072;
    struct Told {
        int rank = -1;
        std::array<char, 64> key{};
        std::uint64_t value = 0;
    };

    pthread_mutex_t lock;
    pthread_cond_t somebody_told;
    pthread_barrier_t fence;  ///< of the node's processes that get there
    int size = 0;
    int on_node = 0;
    long answer_ns = 0;  ///< how long the server is busy with an answer, < 1 s
    std::int64_t questions = 0;
    std::array<bool, most_ranks> lacks_recorder{};
    std::array<Told, 4> told{};

    /// Before the processes are forked.
    /// @param at_fence  how many of them call PMIx_Fence_nb
    void begin(int ranks, int ranks_on_node, int at_fence);
};

StandInServer& stand_in_server();
/// Of this process.
void be_rank(int rank);
