// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// One node's ranks of a job of many ranks, beside a stand-in for the node's PMIx server that takes
// 0.1 ms for an answer. usage: large_job SIZE [LACKING]. Each rank calls MPI_Init and MPI_Finalize.
// It has memory as a task has from slurmstepd, but for the first LACKING ranks. large_job prints
// how many ranks have been recorded to their end, and how many questions the server was asked:
// "128 recorded, 0 questions".
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/profile/recording/record_state.hpp"
#include "standin_pmix.hpp"

extern "C" {
int MPI_Init(int*, char***);
int MPI_Finalize();
}

namespace {

constexpr int ranks_on_node = 128;
constexpr long answer_ns = 100000;

commmap::RecordState state_in(int memory) {
    auto state = commmap::RecordState::nothing;
    return ::pread(memory, &state, sizeof state, commmap::record_state_offset) == sizeof state
               ? state
               : commmap::RecordState::nothing;
}

bool is_recorded(bool has_memory) {
    const int memory = ::memfd_create("record", 0);
    struct stat status {};
    if (memory < 0 || ::ftruncate(memory, commmap::record_memory_bytes) != 0 ||
        ::fstat(memory, &status) != 0)
        return false;
    // the recorder closes the descriptor that it is told
    const std::string text = std::to_string(::dup(memory)) + ":" + std::to_string(status.st_dev) +
                             ":" + std::to_string(status.st_ino);
    if (has_memory) ::setenv(commmap::record_memory_variable, text.c_str(), 1);
    if (MPI_Init(nullptr, nullptr) != 0) return false;
    const bool has_begun = state_in(memory) == commmap::RecordState::running;
    if (MPI_Finalize() != 0 || !has_begun) return false;
    const commmap::RecordState at_end = state_in(memory);
    return at_end == commmap::RecordState::finished ||
           at_end == commmap::RecordState::handed_over || at_end == commmap::RecordState::gathered;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const int lacking = argc > 2 ? std::atoi(argv[2]) : 0;
    ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    stand_in_server().begin(std::atoi(argv[1]), ranks_on_node, ranks_on_node);
    stand_in_server().answer_ns = answer_ns;
    std::vector<pid_t> processes;
    for (int rank = 0; rank < ranks_on_node; ++rank) {
        const pid_t process = ::fork();
        if (process == 0) {
            be_rank(rank);
            ::_exit(is_recorded(rank >= lacking) ? 0 : 1);
        }
        processes.push_back(process);
    }
    int recorded = 0;
    for (const pid_t process : processes) {
        int status = -1;
        ::waitpid(process, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++recorded;
    }
    std::printf("%d recorded, %lld questions\n", recorded,
                static_cast<long long>(stand_in_server().questions));
    return 0;
}
