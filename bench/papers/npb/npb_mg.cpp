// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "npb/npb_run.hpp"

namespace commmap::bench::npb {
namespace {

struct MgSizes {
    int log_side;  ///< of the finest grid: its level
    int iterations;
};
constexpr std::array<MgSizes, 5> table{{{5, 4}, {7, 4}, {8, 4}, {8, 20}, {9, 20}}};
constexpr int charges = 10;

constexpr std::size_t axes = 3;
using Sides = std::array<int, axes>;

/// What a process has of one level, and with whom it talks there.
struct Level {
    Sides points{};  ///< with a layer of the neighbours' points on both ends
    std::array<std::array<int, 2>, axes> neighbours{};  ///< before and behind
    bool idle = false;               ///< too few points for all processes: this process has none
    std::array<bool, axes> gives{};  ///< the points of this level to processes that were idle below
    std::array<bool, axes> takes{};  ///< these points, having been idle below
};

/// The levels of a process, coarsest first: level 1 is levels[1].
std::vector<Level> make_levels(const Run& run, int finest) {
    const int log_ranks = std::bit_width(static_cast<unsigned>(run.ranks)) - 1;
    const int first = 1 << (log_ranks / 3);
    const int second = 1 << ((log_ranks - log_ranks / 3) / 2);
    const Sides grid{first, second, run.ranks / (first * second)};
    const Sides place{run.rank % first, run.rank / first % second, run.rank / (first * second)};
    const Sides stride{1, first, first * second};
    Sides step{1, 1, 1};  // to the next process that has points, along each axis
    std::vector<Level> levels(static_cast<std::size_t>(finest) + 1);
    for (int k = finest; k >= 1; --k) {
        Level& level = levels[static_cast<std::size_t>(k)];
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const int side = 1 << k;
            const auto points_of = [&](int at) {
                return (at + 1) * side / grid[axis] - at * side / grid[axis];
            };
            const int own = points_of(place[axis]);
            const int next = points_of(place[axis] + step[axis]);
            if (own == 0 || next == 0) step[axis] *= 2;
            if (k < finest) {
                levels[static_cast<std::size_t>(k) + 1].gives[axis] = own == 1 && next == 0;
                levels[static_cast<std::size_t>(k) + 1].takes[axis] = own == 0 && next == 1;
            }
            level.points[axis] = own + 2;
            level.idle = level.idle || own == 0;
        }
        for (std::size_t axis = 0; axis < axes; ++axis) {
            for (const int direction : {0, 1}) {
                const int to =
                    (place[axis] + (direction == 0 ? -step[axis] : step[axis]) + grid[axis]) %
                    grid[axis];
                level.neighbours[axis][static_cast<std::size_t>(direction)] =
                    run.rank + (to - place[axis]) * stride[axis];
            }
        }
    }
    return levels;
}

class Multigrid {
public:
    Multigrid(const Run& run, int finest);

    /// The charges: the ten largest and the ten smallest numbers of all processes.
    void place_charges();
    void residual() { exchange(finest_); }
    /// One V-cycle.
    void cycle();
    static void norms();

private:
    void exchange(std::size_t level);
    void expand(std::size_t level);
    void receive(std::size_t axis, std::size_t direction, const Level& level, MPI_Request& request);
    void send(std::size_t axis, std::size_t direction, const Level& level, int count);

    std::size_t finest_;
    std::vector<Level> levels_;
    std::size_t largest_message_;
    Numbers outgoing_;
    std::array<Numbers, 2> incoming_;
};

Multigrid::Multigrid(const Run& run, int finest)
    : finest_(static_cast<std::size_t>(finest)), levels_(make_levels(run, finest)) {
    const Sides& points = levels_.back().points;
    largest_message_ = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto plane = static_cast<std::size_t>(points[(axis + 1) % axes]) *
                           static_cast<std::size_t>(points[(axis + 2) % axes]);
        if (2 * plane > largest_message_) largest_message_ = 2 * plane;
    }
}

/// `direction` is where the message goes: it comes from the neighbour on the other side.
void Multigrid::receive(std::size_t axis, std::size_t direction, const Level& level,
                        MPI_Request& request) {
    MPI_Irecv(incoming_[direction].of(largest_message_), static_cast<int>(largest_message_),
              MPI_DOUBLE, level.neighbours[axis][1 - direction],
              static_cast<int>(2 * axis + direction), MPI_COMM_WORLD, &request);
}

void Multigrid::send(std::size_t axis, std::size_t direction, const Level& level, int count) {
    MPI_Send(outgoing_.of(largest_message_), count, MPI_DOUBLE, level.neighbours[axis][direction],
             static_cast<int>(2 * axis + direction), MPI_COMM_WORLD);
}

/// Axis by axis, so that later messages carry the corners: along the second axis with the first
/// one's neighbours, along the third with both.
void Multigrid::exchange(std::size_t k) {
    const Level& level = levels_[k];
    if (level.idle) return;
    const auto& [x, y, z] = level.points;
    const Sides counts{(y - 2) * (z - 2), x * (z - 2), x * y};
    for (std::size_t axis = 0; axis < axes; ++axis) {
        std::array<MPI_Request, 2> requests{};
        receive(axis, 0, level, requests[0]);
        receive(axis, 1, level, requests[1]);
        send(axis, 1, level, counts[axis]);
        send(axis, 0, level, counts[axis]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

/// To the processes that were idle one level below: one layer downwards, two upwards.
void Multigrid::expand(std::size_t k) {
    const Level& level = levels_[k];
    const auto& [x, y, z] = level.points;
    const Sides planes{y * z, x * z, x * y};
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (level.takes[axis]) {
            std::array<MPI_Request, 2> requests{};
            receive(axis, 0, level, requests[0]);
            receive(axis, 1, level, requests[1]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
        if (level.gives[axis]) {
            send(axis, 1, level, 2 * planes[axis]);
            send(axis, 0, level, planes[axis]);
        }
    }
}

void Multigrid::place_charges() {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 * charges; ++i) {  // a largest or smallest one, and where it is
        all_reduce(1, MPI_DOUBLE);
        all_reduce(4, MPI_INT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(finest_);
}

void Multigrid::cycle() {
    for (std::size_t k = finest_; k > 1; --k) exchange(k - 1);  // the restricted residual
    exchange(1);  // the smoother on the coarsest level
    for (std::size_t k = 2; k <= finest_; ++k) {
        expand(k);    // the prolongation
        exchange(k);  // the residual
        exchange(k);  // the smoother
    }
}

void Multigrid::norms() {
    all_reduce(1, MPI_DOUBLE);
    all_reduce(1, MPI_DOUBLE);
}

}  // namespace

void send_mg(const Run& run) {
    require_power_of_two(run);
    const MgSizes& sizes = sizes_of<MgSizes>(run, table);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; ++i) broadcast_integers(1);  // level, iterations, three sides
    broadcast_integers(8);                              // what to print
    tell_timers(run);
    Multigrid multigrid(run, sizes.log_side);
    multigrid.place_charges();
    Multigrid::norms();
    multigrid.residual();
    Multigrid::norms();
    multigrid.cycle();  // to touch all pages
    multigrid.residual();
    multigrid.place_charges();
    MPI_Barrier(MPI_COMM_WORLD);
    multigrid.residual();
    Multigrid::norms();
    for (int i = 0; i < sizes.iterations; ++i) {
        multigrid.cycle();
        multigrid.residual();
    }
    Multigrid::norms();
    reduce(1, MPI_DOUBLE);
}

}  // namespace commmap::bench::npb
