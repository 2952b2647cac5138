// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/collective_rounds.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/inside/comm_needs.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap::measure {
namespace {

/// MPI_Wtime() may not see less.
constexpr double least_s = 1e-9;

struct Functions {
    decltype(&MPI_Bcast) bcast;
    decltype(&MPI_Allgather) allgather;
    decltype(&MPI_Allreduce) allreduce;
    decltype(&MPI_Reduce) reduce;
    decltype(&MPI_Alltoall) alltoall;
};
/// The MPI library's own functions, and those that a program calls: the preloaded library's.
const Functions native{PMPI_Bcast, PMPI_Allgather, PMPI_Allreduce, PMPI_Reduce, PMPI_Alltoall};
const Functions other{MPI_Bcast, MPI_Allgather, MPI_Allreduce, MPI_Reduce, MPI_Alltoall};

/// A call with its buffers.
class Call {
public:
    explicit Call(const inside::CallToTime& call) : call_(call) {
        int size = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        const std::size_t of_all = call.bytes * static_cast<std::size_t>(size);
        sent_.assign(call.op == CollectiveOp::alltoall ? of_all : call.bytes, 1);
        if (call.op == CollectiveOp::bcast) return;
        received_.assign(inside::has_blocks(call.op) ? of_all : call.bytes, 0);
    }

    void make_by(const Functions& functions) {
        const auto bytes = static_cast<int>(call_.bytes);
        switch (call_.op) {
            case CollectiveOp::bcast:
                functions.bcast(sent_.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD);
                break;
            case CollectiveOp::allgather:
                functions.allgather(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes,
                                    MPI_BYTE, MPI_COMM_WORLD);
                break;
            case CollectiveOp::alltoall:
                functions.alltoall(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE,
                                   MPI_COMM_WORLD);
                break;
            case CollectiveOp::reduce:
                functions.reduce(sent_.data(), received_.data(), ints(), MPI_INT, MPI_SUM, root,
                                 MPI_COMM_WORLD);
                break;
            default:
                functions.allreduce(sent_.data(), received_.data(), ints(), MPI_INT, MPI_SUM,
                                    MPI_COMM_WORLD);
        }
    }

private:
    [[nodiscard]] int ints() const { return static_cast<int>(call_.bytes / sizeof(int)); }

    static constexpr int root = 0;

    inside::CallToTime call_;
    std::vector<char> sent_;
    std::vector<char> received_;
};

/// Returns the seconds that something takes on this rank, from a barrier on.
template <class What>
double seconds_of(What&& what) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    what();
    return std::max(MPI_Wtime() - begin, least_s);
}

/// Whether the algorithm was slower by far in all rounds.
bool is_slow(const inside::TimedCall& timed) {
    return std::all_of(timed.rounds.begin(), timed.rounds.end(), [](const auto& round) {
        return round.native_s < inside::gain_of_slow_ones * round.algorithm_s;
    });
}

}  // namespace

bool other_algorithms_are_at_work() {
    // The library empties its rules when all ranks have agreed on them.
    const char* rules = std::getenv("COMMMAP_INSIDE_RULES");
    int at_work = rules != nullptr && *rules == '\0' ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &at_work, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return at_work == 1;
}

inside::TimedCall time_call(const inside::CallToTime& call,
                            std::optional<std::uint32_t> all_rounds) {
    const std::uint32_t least_rounds = all_rounds.value_or(inside::least_rounds);
    Call calls(call);
    inside::TimedCall timed{call, {}};
    // The first calls open connections, and make the communicator of the other algorithm.
    calls.make_by(native);
    calls.make_by(other);
    double total_s = 0.0;
    for (std::uint32_t round = 0; round < inside::most_rounds; ++round) {
        if (round >= least_rounds && total_s >= inside::seconds_of_call) break;
        if (!all_rounds && round == inside::rounds_of_slow_ones && is_slow(timed)) break;
        std::array<double, 2> seconds{};
        const bool native_first = round % 2 == 0;
        if (native_first) seconds[0] = seconds_of([&] { calls.make_by(native); });
        seconds[1] = seconds_of([&] { calls.make_by(other); });
        if (!native_first) seconds[0] = seconds_of([&] { calls.make_by(native); });
        // All ranks have the same times, and end with the same round.
        PMPI_Allreduce(MPI_IN_PLACE, seconds.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        total_s += seconds[0] + seconds[1];
        timed.rounds.push_back({seconds[0], seconds[1]});
    }
    return timed;
}

}  // namespace commmap::measure
