// RollCall::everyone_leaving() itself. usage: leaving_check
// short|long|one_long|root_long|too_long|empty; exit code 0 when what the ranks hand over is on
// rank 0, or known to be too much.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pmix_hooks/handover.hpp"
#include "pmix_hooks/roll_call.hpp"

using commmap::hooks::Gathered;
using commmap::hooks::Handover;
using commmap::hooks::RollCall;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::string way = argc > 1 ? argv[1] : "";
    const auto length_of = [&](int r) -> std::size_t {
        if (way == "empty") return 0;
        if (way == "long" || (way == "one_long" && r == size - 1) || (way == "root_long" && r == 0))
            return 200000 + static_cast<std::size_t>(r);
        if (way == "too_long" && r == size - 1) return Handover::most_bytes + 1;
        return Handover::most_short_bytes(size);
    };
    const auto report_of = [&](int r) {
        return std::string(length_of(r), static_cast<char>('a' + r));
    };

    const RollCall::Departure departure = RollCall::everyone_leaving(rank, size, report_of(rank));

    bool good = departure.everyone.answer == RollCall::Answer::all && !departure.to_gather;
    if (rank == 0 && way == "too_long" && size > 1) {
        good = good && departure.reports.end == Gathered::End::too_large;
    } else if (rank == 0) {
        std::vector<std::string> others;
        for (int r = 1; r < size; ++r) others.push_back(report_of(r));
        std::vector<std::string> handed_over = departure.reports.reports;
        std::sort(handed_over.begin(), handed_over.end());
        good = good && departure.reports.end == Gathered::End::complete && handed_over == others;
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
