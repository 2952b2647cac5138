// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "npb/npb_run.hpp"

namespace commmap::bench::npb {
namespace {

struct SpSizes {
    int side;
    int iterations;
};
constexpr std::array<SpSizes, 5> table{{{12, 100}, {36, 400}, {64, 400}, {102, 400}, {162, 400}}};
constexpr std::size_t axes = 3;
constexpr int variables = 5;
constexpr int forward_numbers = 22;   // of each line of a cell, in the elimination
constexpr int backward_numbers = 10;  // in the substitution

/// Multipartition: a process of a square grid has a diagonal of cells, one in each slice along each
/// axis.
class Multipartition {
public:
    Multipartition(const Run& run, int processes, int side);
    ~Multipartition() {
        MPI_Comm_free(&setup_);
        MPI_Comm_free(&solve_);
        MPI_Comm_free(&faces_);
    }
    Multipartition(const Multipartition&) = delete;
    Multipartition& operator=(const Multipartition&) = delete;

    /// One step: the faces of all cells, and a sweep forwards and backwards along each axis.
    void step();
    void copy_faces();
    [[nodiscard]] MPI_Comm setup() const { return setup_; }

private:
    struct Cell {
        std::array<int, axes> at{};
        std::array<int, axes> points{};
    };

    void sweep(std::size_t axis);
    [[nodiscard]] const Cell& in_slice(std::size_t axis, int slice) const;
    [[nodiscard]] int lines(const Cell& cell, std::size_t axis) const;
    [[nodiscard]] int face_numbers(std::size_t axis, bool forwards) const;

    int processes_;  ///< along a side of the grid; as many cells has a process
    std::vector<Cell> cells_;
    std::array<int, axes> before_{};
    std::array<int, axes> behind_{};
    MPI_Comm setup_ = MPI_COMM_NULL;
    MPI_Comm solve_ = MPI_COMM_NULL;
    MPI_Comm faces_ = MPI_COMM_NULL;
    Numbers outgoing_;
    Numbers incoming_;
    std::array<Numbers, 2 * axes> faces_out_;
    std::array<Numbers, 2 * axes> faces_in_;
};

Multipartition::Multipartition(const Run& run, int processes, int side) : processes_(processes) {
    const int x = run.rank % processes;
    const int y = run.rank / processes;
    const auto at = [&](int column, int row) {
        return (column + processes) % processes + processes * ((row + processes) % processes);
    };
    before_ = {at(x - 1, y), at(x, y - 1), at(x + 1, y - 1)};
    behind_ = {at(x + 1, y), at(x, y + 1), at(x - 1, y + 1)};
    for (int slice = 0; slice < processes; ++slice) {
        Cell cell;
        cell.at = {(x + slice) % processes, (y - slice + processes) % processes, slice};
        for (std::size_t axis = 0; axis < axes; ++axis) {
            cell.points[axis] = side / processes + (cell.at[axis] < side % processes ? 1 : 0);
        }
        cells_.push_back(cell);
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, run.rank, &setup_);
    MPI_Comm_dup(setup_, &solve_);
    MPI_Comm_dup(setup_, &faces_);
}

const Multipartition::Cell& Multipartition::in_slice(std::size_t axis, int slice) const {
    for (const Cell& cell : cells_) {
        if (cell.at[axis] == slice) return cell;
    }
    return cells_.front();  // not reached: a process has a cell in each slice
}

/// Lines along the axis that are solved: those on the domain's boundary are not.
int Multipartition::lines(const Cell& cell, std::size_t axis) const {
    int product = 1;
    for (const std::size_t other : {(axis + 1) % axes, (axis + 2) % axes}) {
        product *= cell.points[other] - (cell.at[other] == 0 ? 1 : 0) -
                   (cell.at[other] == processes_ - 1 ? 1 : 0);
    }
    return product;
}

/// Two layers of each cell that has a neighbour there.
int Multipartition::face_numbers(std::size_t axis, bool forwards) const {
    int numbers = 0;
    for (const Cell& cell : cells_) {
        if (cell.at[axis] == (forwards ? processes_ - 1 : 0)) continue;
        numbers += 2 * variables * cell.points[(axis + 1) % axes] * cell.points[(axis + 2) % axes];
    }
    return numbers;
}

void Multipartition::copy_faces() {
    if (processes_ == 1) return;
    std::array<MPI_Request, 4 * axes> requests{};
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const int from_behind = face_numbers(axis, true);
        const int from_before = face_numbers(axis, false);
        const int tag = static_cast<int>(2 * axis);
        MPI_Irecv(faces_in_[2 * axis].of(static_cast<std::size_t>(from_behind)), from_behind,
                  MPI_DOUBLE, behind_[axis], tag + 1, faces_, &requests[next++]);
        MPI_Irecv(faces_in_[2 * axis + 1].of(static_cast<std::size_t>(from_before)), from_before,
                  MPI_DOUBLE, before_[axis], tag, faces_, &requests[next++]);
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const int forwards = face_numbers(axis, true);
        const int backwards = face_numbers(axis, false);
        const int tag = static_cast<int>(2 * axis);
        MPI_Isend(faces_out_[2 * axis].of(static_cast<std::size_t>(forwards)), forwards, MPI_DOUBLE,
                  behind_[axis], tag, faces_, &requests[next++]);
        MPI_Isend(faces_out_[2 * axis + 1].of(static_cast<std::size_t>(backwards)), backwards,
                  MPI_DOUBLE, before_[axis], tag + 1, faces_, &requests[next++]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Multipartition::sweep(std::size_t axis) {
    const auto pass = [&](bool forwards, int numbers) {
        const int from = forwards ? before_[axis] : behind_[axis];
        const int to = forwards ? behind_[axis] : before_[axis];
        MPI_Request sent = MPI_REQUEST_NULL;
        for (int stage = 0; stage < processes_; ++stage) {
            const int slice = forwards ? stage : processes_ - 1 - stage;
            const int count = numbers * lines(in_slice(axis, slice), axis);
            if (stage > 0) {
                std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, sent};
                MPI_Irecv(incoming_.of(static_cast<std::size_t>(count)), count, MPI_DOUBLE, from, 0,
                          solve_, requests.data());
                MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
            }
            if (stage < processes_ - 1) {
                MPI_Isend(outgoing_.of(static_cast<std::size_t>(count)), count, MPI_DOUBLE, to, 0,
                          solve_, &sent);
            }
        }
    };
    pass(true, forward_numbers);
    pass(false, backward_numbers);
}

void Multipartition::step() {
    copy_faces();
    for (std::size_t axis = 0; axis < axes; ++axis) sweep(axis);
}

}  // namespace

void send_sp(const Run& run) {
    int processes = 1;
    while ((processes + 1) * (processes + 1) <= run.ranks) ++processes;
    if (processes * processes != run.ranks)
        throw UsageError("needs a square number of ranks, not " + std::to_string(run.ranks));
    const SpSizes& sizes = sizes_of<SpSizes>(run, table);
    if (sizes.side / processes < 3)
        throw UsageError("has too few points in this class for so many ranks");
    Multipartition cells(run, processes, sizes.side);
    std::array<double, 3> settings{};
    MPI_Bcast(settings.data(), 1, MPI_INT, 0, cells.setup());     // iterations
    MPI_Bcast(settings.data(), 1, MPI_DOUBLE, 0, cells.setup());  // time step
    MPI_Bcast(settings.data(), 3, MPI_INT, 0, cells.setup());     // sides
    tell_timers(run);
    cells.step();  // to touch all pages
    MPI_Barrier(cells.setup());
    for (int i = 0; i < sizes.iterations; ++i) cells.step();
    all_reduce(variables, MPI_DOUBLE);  // the error's norm
    cells.copy_faces();
    all_reduce(variables, MPI_DOUBLE);  // the residual's norm
    reduce(1, MPI_DOUBLE);
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace commmap::bench::npb
