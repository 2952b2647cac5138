// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/base/descriptors.hpp"
#include "core/base/number.hpp"
#include "core/profile/recording/record_state.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "pmix_hooks/output/record_memory.hpp"
#include "pmix_hooks/output/record_reader.hpp"

namespace {

using commmap::Errc;
using commmap::Error;
using commmap::FileVisibility;
using commmap::NodePart;
using commmap::Ok;
using commmap::Result;
using commmap::Status;
using commmap::hooks::Recorded;
using commmap::hooks::RecordHead;

struct Arguments {
    std::uint32_t job = 0;
    std::uint32_t step = 0;
    /// Number of the node in the step; none where no srun puts nodes' parts together.
    std::optional<std::uint32_t> node;
    std::vector<int> descriptors;  ///< memory of each task
};

/// Parses the arguments of commmap-collect; nothing when they are wrong.
std::optional<Arguments> arguments_of(const std::vector<std::string>& words) {
    constexpr std::size_t fixed = 3;
    if (words.size() < fixed) return std::nullopt;
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool is_no_node = i == fixed - 1 && words[i] == "-";
        const auto number = commmap::parse_number(is_no_node ? "0" : words[i]);
        if (!number || *number > UINT32_MAX) return std::nullopt;
        numbers.push_back(static_cast<std::uint32_t>(*number));
    }
    Arguments arguments;
    arguments.job = numbers[0];
    arguments.step = numbers[1];
    if (words[2] != "-") arguments.node = numbers[2];
    arguments.descriptors.assign(numbers.begin() + fixed, numbers.end());
    if (!arguments.node) arguments.descriptors = {STDIN_FILENO};
    return arguments;
}

/// Reads `bytes` bytes. Returns false when the other side has ended before.
bool read_whole(int descriptor, char* to, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = ::read(descriptor, to, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

/// Reads what rank 0 sends: a record's head, and behind it the records of all ranks.
Result<std::optional<Recorded>> read_sent(int descriptor) {
    constexpr std::size_t most_bytes = std::size_t{256} << 20;
    const Error cut{Errc::io, "rank 0 sent no whole record"};
    RecordHead head;
    auto* const start = reinterpret_cast<char*>(&head);
    if (!read_whole(descriptor, start, sizeof head) || head.gathered_bytes > most_bytes) return cut;
    std::vector<char> bytes(sizeof head + head.gathered_bytes);
    std::copy(start, start + sizeof head, bytes.begin());
    if (!read_whole(descriptor, bytes.data() + sizeof head, head.gathered_bytes)) return cut;
    return commmap::hooks::read_record(bytes.data(), bytes.size());
}

/// Collects the records of this node's tasks, and saves the profile or keeps the node's part.
Status collect(const Arguments& arguments) {
    NodePart part;
    std::string profiles;
    FileVisibility visibility = FileVisibility::user;
    Status failed = Ok{};
    for (const int descriptor : arguments.descriptors) {
        auto read =
            arguments.node ? commmap::hooks::read_record(descriptor) : read_sent(descriptor);
        if (!read) failed = read.error();
        if (!read || !read.value()) continue;
        Recorded& rank = *read.value();
        if (part.num_ranks == 0) {
            part.command = rank.command;
            part.mpi_library = rank.mpi_library;
            part.num_ranks = rank.num_ranks;
            profiles = rank.profiles;
            visibility = rank.visibility;
        } else if (part.num_ranks != rank.num_ranks || profiles != rank.profiles) {
            return Error{Errc::invalid_input, "its tasks are of different jobs"};
        }
        // Other tasks of the node may not know yet that rank 0 has their records.
        if (rank.gathered) {
            part.records = std::move(rank.records);
            break;
        }
        std::move(rank.records.begin(), rank.records.end(), std::back_inserter(part.records));
    }
    if (part.records.empty()) return failed;
    if (!profiles.starts_with('/'))
        return Error{Errc::not_found, "neither COMMMAP_PROFILE_DIR nor HOME is set"};
    const commmap::UnfinishedRun run(profiles, arguments.job, arguments.step);
    if (!part.is_whole_run()) {
        if (arguments.node) return run.keep(*arguments.node, part, visibility);
        return Error{Errc::io, "a rank needed more than " +
                                   std::to_string(commmap::record_memory_bytes >> 20) +
                                   " MiB to record all it sent, or MPI refused"};
    }
    std::vector<NodePart> parts;
    parts.push_back(std::move(part));
    const auto saved =
        run.save(std::move(parts), commmap::ProfileStore(profiles, nullptr, visibility));
    if (!saved) return saved.error();
    std::fputs(saved.value().c_str(), stdout);
    return Ok{};
}

}  // namespace

// commmap-collect JOB STEP NODE FD... reads what the tasks of a node recorded, one descriptor each.
// For a whole run it saves the profile; else it keeps the node's part for the profile of the step.
// slurmstepd runs this program as the user after the last task.
//
// commmap-collect JOB STEP - reads one record from its standard input. It saves the profile of a
// whole run, or none.
// Rank 0 runs this program where no slurmstepd holds the tasks' memory.
int main(int argc, char** argv) {
    ::prctl(PR_SET_NAME, "commmap-collect");  // the program may have been run by descriptor
    // Other processes of the user must not take this process over: it is outside of the job's
    // container.
    ::prctl(PR_SET_DUMPABLE, 0);
    try {
        const auto arguments = arguments_of({argv + 1, argv + std::max(argc, 1)});
        if (!arguments) {
            std::fputs("usage: commmap-collect JOB STEP NODE FD... | JOB STEP -\n", stderr);
            return 2;
        }
        if (!arguments->node) commmap::close_from(STDERR_FILENO + 1);  // files of the program
        const Status collected = collect(*arguments);
        if (collected) return 0;
        std::fprintf(stderr, "%s\n", collected.error().message.c_str());
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "%s\n", exception.what());
    }
    return 1;
}
