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

#include "core/profile/collective_op.hpp"

namespace commmap::measure {
namespace {

/// MPI_Wtime() may not see less.
constexpr double least_s = 1e-9;

struct Functions {
    decltype(&MPI_Bcast) bcast;
    decltype(&MPI_Allgather) allgather;
    decltype(&MPI_Allreduce) allreduce;
};
/// The MPI library's own functions, and those that a program calls: the preloaded library's.
const Functions native{PMPI_Bcast, PMPI_Allgather, PMPI_Allreduce};
const Functions other{MPI_Bcast, MPI_Allgather, MPI_Allreduce};

/// A call with its buffers.
class Call {
public:
    explicit Call(const inside::CallToTime& call) : call_(call) {
        int size = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        const auto ranks = static_cast<std::size_t>(size);
        sent_.assign(call.bytes, 1);
        if (call.op == CollectiveOp::allgather) received_.assign(call.bytes * ranks, 0);
        if (call.op == CollectiveOp::allreduce) received_.assign(call.bytes, 0);
    }

    void make_by(const Functions& functions) {
        const auto bytes = static_cast<int>(call_.bytes);
        if (call_.op == CollectiveOp::bcast) {
            functions.bcast(sent_.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        } else if (call_.op == CollectiveOp::allgather) {
            functions.allgather(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE,
                                MPI_COMM_WORLD);
        } else {
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

}  // namespace

bool other_algorithms_are_at_work() {
    // The library empties its rules when all ranks have agreed on them.
    const char* rules = std::getenv("COMMMAP_INSIDE_RULES");
    int at_work = rules != nullptr && *rules == '\0' ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &at_work, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return at_work == 1;
}

inside::TimedCall time_call(const inside::CallToTime& call, std::uint32_t least_rounds) {
    Call calls(call);
    inside::TimedCall timed{call, {}};
    // The first calls open connections, and make the communicator of the other algorithm.
    calls.make_by(native);
    calls.make_by(other);
    double total_s = 0.0;
    for (std::uint32_t round = 0; round < inside::most_rounds; ++round) {
        if (round >= least_rounds && total_s >= inside::seconds_of_call) break;
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
