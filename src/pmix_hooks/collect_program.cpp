#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "core/base/number.hpp"
#include "core/profile/unfinished_run.hpp"
#include "pmix_hooks/record_reader.hpp"

namespace {

using commmap::Errc;
using commmap::Error;
using commmap::NodePart;
using commmap::Ok;
using commmap::Readers;
using commmap::Status;
using commmap::hooks::Recorded;

/// @param numbers  job, step, the node's number in the step, then a descriptor for each task
Status collect(const std::vector<std::uint32_t>& numbers) {
    NodePart part;
    std::string profiles;
    Readers readers = Readers::user;
    Status failed = Ok{};
    for (std::size_t i = 3; i < numbers.size(); ++i) {
        auto read = commmap::hooks::read_record(static_cast<int>(numbers[i]));
        if (!read) failed = read.error();
        if (!read || !read.value()) continue;
        Recorded& rank = *read.value();
        if (part.reports.empty()) {
            part.command = rank.command;
            part.mpi_library = rank.mpi_library;
            part.num_ranks = rank.num_ranks;
            profiles = rank.profiles;
            readers = rank.readers;
        } else if (part.num_ranks != rank.num_ranks || profiles != rank.profiles) {
            return Error{Errc::invalid_input, "its tasks are of different jobs"};
        }
        part.reports.push_back(std::move(rank.report));
    }
    if (part.reports.empty()) return failed;
    if (!profiles.starts_with('/'))
        return Error{Errc::not_found, "neither COMMMAP_PROFILE_DIR nor HOME is set"};
    return commmap::UnfinishedRun(profiles, numbers[0], numbers[1]).keep(numbers[2], part, readers);
}

}  // namespace

// commmap-collect JOB STEP NODE FD...: keeps what the tasks of this node recorded and nobody has
// gathered, for the profile of the job step. slurmstepd runs it as the user after the last task.
int main(int argc, char** argv) {
    ::prctl(PR_SET_NAME, "commmap-collect");  // it may have been run by descriptor
    // Other processes of the user are not to take it over: it is outside of the job's container.
    ::prctl(PR_SET_DUMPABLE, 0);
    try {
        std::vector<std::uint32_t> numbers;
        for (int i = 1; i < argc; ++i) {
            const auto number = commmap::parse_number(argv[i]);
            if (!number || *number > UINT32_MAX) {
                std::fprintf(stderr, "'%s' is no number\n", argv[i]);
                return 2;
            }
            numbers.push_back(static_cast<std::uint32_t>(*number));
        }
        if (numbers.size() < 3) {
            std::fputs("usage: commmap-collect JOB STEP NODE FD...\n", stderr);
            return 2;
        }
        const Status collected = collect(numbers);
        if (collected) return 0;
        std::fprintf(stderr, "%s\n", collected.error().message.c_str());
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "%s\n", exception.what());
    }
    return 1;
}
