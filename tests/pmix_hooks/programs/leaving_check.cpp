// RollCall::everyone_leaving() itself. usage: leaving_check short|long|one_long|root_long|empty;
// exit code 0 when short reports are on rank 0, and rank 0 and the ranks with longer ones know
// whose are not.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pmix_hooks/roll_call.hpp"

using commmap::hooks::Gathered;
using commmap::hooks::RollCall;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::string way = argc > 1 ? argv[1] : "";
    const auto report_of = [&](int r) {
        const bool is_long =
            way == "long" || (way == "one_long" && r == size - 1) || (way == "root_long" && r == 0);
        const std::size_t length = RollCall::most_bytes_of_report(size) + (is_long ? 1 : 0);
        return std::string(way == "empty" ? 0 : length, static_cast<char>('a' + r));
    };

    const RollCall::Departure departure = RollCall::everyone_leaving(rank, size, report_of(rank));

    bool good = departure.everyone.answer == RollCall::Answer::all;
    std::vector<int> to_gather;
    std::vector<std::string> handed_over;
    for (int r = 0; r < size; ++r) {
        const std::string report = report_of(r);
        const bool is_long = report.size() > RollCall::most_bytes_of_report(size);
        if (r != 0 && is_long) to_gather.push_back(r);
        if (r != 0 && !is_long && rank == 0) handed_over.push_back(report);
    }
    if (!to_gather.empty()) to_gather.insert(to_gather.begin(), 0);
    const auto gathers = std::find(to_gather.begin(), to_gather.end(), rank) != to_gather.end();
    good = good && departure.still_to_gather == (gathers ? to_gather : std::vector<int>()) &&
           departure.handed_over.end == Gathered::End::complete &&
           departure.handed_over.reports == handed_over;
    MPI_Finalize();
    return good ? 0 : 1;
}
