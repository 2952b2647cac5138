// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Leaves COUNT records of launches as srun leaves them, each a thousandth longer than the one
// before. They wait to be merged. The records are of a program without arguments on two nodes with
// as many tasks; BASIS is what placements were planned from, in hexadecimal. MPI_S is the time by
// the other clock, of the first.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/history/record/run_shape.hpp"
#include "core/history/store/inbox.hpp"

namespace {

commmap::LaunchedAs way_called(std::string_view name) {
    using commmap::LaunchedAs;
    for (const LaunchedAs way : {LaunchedAs::placed, LaunchedAs::kept, LaunchedAs::profiled,
                                 LaunchedAs::explored, LaunchedAs::reversed})
        if (name_of(way) == name) return way;
    return LaunchedAs::off;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 9 || argc > 11) {
        std::fprintf(stderr,
                     "usage: make_history PROFILES IDENTITY PROGRAM RANKS LAUNCHED COUNT WALL_S "
                     "FIRST_STEP [BASIS [MPI_S]]\n");
        return 2;
    }
    commmap::RunRecord record;
    record.application_id = argv[2];
    record.program = argv[3];
    record.num_ranks = static_cast<std::uint32_t>(std::atoi(argv[4]));
    record.num_nodes = 2;
    const std::uint32_t tasks[] = {record.num_ranks / 2, record.num_ranks - record.num_ranks / 2};
    record.shape = commmap::run_shape(tasks, 1);
    record.arguments = commmap::arguments_digest({});
    record.run.launched_as = way_called(argv[5]);
    record.run.job = 12;
    if (record.run.launched_as == commmap::LaunchedAs::placed) {
        record.run.basis = argc >= 10 ? std::strtoull(argv[9], nullptr, 16) : 3;
        record.run.placement = 4;
        record.run.predicted_s = 0.8;
        record.run.default_s = 1.0;
        record.run.error = 0.1;
    }
    const int count = std::atoi(argv[6]);
    for (int i = 0; i < count; ++i) {
        record.run.step = static_cast<std::uint32_t>(std::atoi(argv[8]) + i);
        record.run.ended_unix_s = 1'790'000'000 + record.run.step;
        record.run.wall_s = std::atof(argv[7]) * (1.0 + 0.001 * i);
        if (argc == 11) record.mpi_s = std::atof(argv[10]) * (1.0 + 0.001 * i);
        if (const commmap::Status done = commmap::RunInbox(argv[1]).put(record); !done) {
            std::fprintf(stderr, "make_history: %s\n", done.error().message.c_str());
            return 1;
        }
    }
    return 0;
}
