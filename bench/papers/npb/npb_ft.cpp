// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>

#include "common/bench_program.hpp"
#include "npb/npb_run.hpp"

namespace commmap::bench::npb {
namespace {

struct FtSizes {
    int x;
    int y;
    int z;
    int iterations;
};
constexpr std::array<FtSizes, 5> table{{{64, 64, 64, 6},
                                        {128, 128, 32, 6},
                                        {256, 256, 128, 6},
                                        {512, 256, 256, 20},
                                        {512, 512, 512, 20}}};

/// The transposition that each transform has once, on a grid of 1 x ranks processes.
class Transposition {
public:
    Transposition(const Run& run, const FtSizes& sizes);
    ~Transposition() {
        MPI_Comm_free(&row_);
        MPI_Comm_free(&column_);
    }
    Transposition(const Transposition&) = delete;
    Transposition& operator=(const Transposition&) = delete;
    void run();

private:
    MPI_Comm row_ = MPI_COMM_NULL;
    MPI_Comm column_ = MPI_COMM_NULL;  ///< made and not used, as the benchmark does on this grid
    int to_each_;                      ///< complex numbers
    Numbers sent_;
    Numbers received_;
    std::size_t doubles_;
};

Transposition::Transposition(const Run& run, const FtSizes& sizes) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, run.rank, &row_);
    MPI_Comm_split(MPI_COMM_WORLD, run.rank, 0, &column_);
    const auto points = static_cast<std::size_t>(sizes.x) * static_cast<std::size_t>(sizes.y) *
                        static_cast<std::size_t>(sizes.z);
    const auto ranks = static_cast<std::size_t>(run.ranks);
    to_each_ = static_cast<int>(points / ranks / ranks);
    doubles_ = 2 * points / ranks;
}

void Transposition::run() {
    MPI_Alltoall(sent_.of(doubles_), to_each_, MPI_C_DOUBLE_COMPLEX, received_.of(doubles_),
                 to_each_, MPI_C_DOUBLE_COMPLEX, row_);
}

}  // namespace

void send_ft(const Run& run) {
    require_power_of_two(run);
    const FtSizes& sizes = sizes_of<FtSizes>(run, table);
    if (run.ranks > sizes.z)
        throw UsageError("has at most " + std::to_string(sizes.z) + " ranks in this class");
    for (int i = 0; i < 4; ++i)
        broadcast_integers(1);  // both sides of the grid, layout, iterations
    tell_timers(run);
    Transposition transposition(run, sizes);
    transposition.run();  // to touch all pages
    MPI_Barrier(MPI_COMM_WORLD);
    transposition.run();
    for (int i = 0; i < sizes.iterations; ++i) {
        transposition.run();
        reduce(1, MPI_C_DOUBLE_COMPLEX);  // the checksum
    }
}

}  // namespace commmap::bench::npb
