// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// commmap-measure: sends messages between nodes and prints how long they take. `commmap calibrate`
// starts the program with a rank on each node, writes series to the standard input of rank 0, and
// reads a line for each length from its standard output (measuring_text.hpp). With --cpus=LIST the
// ranks are on one node, and each runs on its own CPU of the list. With --collectives[=ROUNDS] the
// program times collective calls instead, in so many rounds at least. The calls stand on its
// standard input (core/inside/timed_calls.hpp).
//
// Rank 0 lets one series run at a time, so that series do not disturb each other. Ranks that have
// nothing to do look for work once in a millisecond and sleep in between: waiting in MPI
// would take a CPU, which the emulated nodes of the tests share.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/number.hpp"
#include "core/calibration/blocks.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/inside/timed_calls.hpp"
#include "measure/collective_rounds.hpp"
#include "measure/length_run.hpp"
#include "measure/nodes.hpp"
#include "measure/own_cpu.hpp"
#include "measure/pair_run.hpp"
#include "measure/short_run.hpp"
#include "measure/together_run.hpp"
#include "measure/work_run.hpp"

namespace commmap::measure {
namespace {

constexpr int order_tag = 1;
constexpr int values_tag = 2;
constexpr std::chrono::microseconds between_looks{1000};
constexpr std::uint64_t no_more_work = UINT64_MAX;

/// Waits for a request without taking a CPU.
void wait_asleep(MPI_Request& request) {
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return;
        std::this_thread::sleep_for(between_looks);
    }
}

/// What one length of a series gave: blocks of all pairs together, or of each pair.
using Values = std::vector<std::vector<double>>;

void print(std::uint32_t index, const NamedSeries& series, std::uint64_t length_bytes,
           const Values& values) {
    for (std::uint32_t v = 0; v < values.size(); ++v) {
        const std::uint32_t pair = answers_by_pair(series.pattern) ? v : no_id;
        std::fputs(write_measured({index, length_bytes, values[v], pair}).c_str(), stdout);
    }
    std::fflush(stdout);
}

/// The part of the library's text that says which version it is.
void print_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string_view name(text.data());
    name = name.substr(0, name.find_first_of(",\n"));
    std::fputs(write_library(name).c_str(), stdout);
}

/// A length of 0 ends the series.
void send_to_leader(std::uint64_t length_bytes, const Values& values) {
    std::vector<double> sent{static_cast<double>(length_bytes)};
    for (const auto& blocks : values) sent.insert(sent.end(), blocks.begin(), blocks.end());
    MPI_Send(sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, 0, values_tag, MPI_COMM_WORLD);
}

/// Measures the lengths of a series one by one, and hands each on.
class Measurer {
public:
    Measurer(MeasuringPattern pattern, MPI_Comm comm, const std::vector<RankPair>& pairs)
        : pattern_(pattern),
          length_(pattern, comm, pairs),
          each_pair_(comm, pairs),
          together_(comm, pairs),
          short_(pattern, comm, pairs),
          work_(comm, pairs) {}

    /// @return  nothing when the series ends before this length
    Values measure(std::uint64_t length_bytes) {
        if (pattern_ == MeasuringPattern::each_pair) return each_pair_.measure(length_bytes);
        if (pattern_ == MeasuringPattern::together) return together_.measure(length_bytes);
        if (pattern_ == MeasuringPattern::work) return work_.measure(length_bytes);
        std::vector<double> blocks = is_of_short_messages(pattern_) ? short_.measure(length_bytes)
                                                                    : length_.measure(length_bytes);
        return blocks.empty() ? Values{} : Values{std::move(blocks)};
    }

private:
    MeasuringPattern pattern_;
    LengthRun length_;
    PairRun each_pair_;
    TogetherRun together_;
    ShortRun short_;
    WorkRun work_;
};

void send_order(std::uint64_t order, int rank) {
    MPI_Send(&order, 1, MPI_UINT64_T, rank, order_tag, MPI_COMM_WORLD);
}

/// Takes part in one series, as all its ranks do. The first of them prints each length that was
/// measured, or sends it to rank 0, which prints it.
void take_part(std::uint32_t index, const NamedSeries& series, const std::vector<RankPair>& pairs) {
    const std::vector<int> ranks = ranks_of(pairs);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    int own = 0;
    MPI_Comm_rank(comm, &own);
    Measurer measurer(series.pattern, comm, numbered_within(ranks, pairs));
    for (const std::uint64_t length : series.lengths_bytes) {
        const Values values = measurer.measure(length);
        if (values.empty()) break;
        if (own != 0) continue;
        if (ranks.front() == 0) {
            print(index, series, length, values);
        } else {
            send_to_leader(length, values);
        }
    }
    if (own == 0 && ranks.front() != 0) send_to_leader(0, {});
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/// Rank 0: lets the series run one by one, and prints what they measure.
void lead(const std::vector<NamedSeries>& series, const std::vector<std::vector<RankPair>>& pairs) {
    for (std::uint32_t s = 0; s < series.size(); ++s) {
        const std::vector<int> ranks = ranks_of(pairs[s]);
        for (const int rank : ranks) {
            if (rank != 0) send_order(s, rank);
        }
        if (ranks.front() == 0) {
            take_part(s, series[s], pairs[s]);
            continue;
        }
        const std::size_t lines = answers_by_pair(series[s].pattern) ? pairs[s].size() : 1;
        for (;;) {
            std::vector<double> values(1 + lines * blocks_of_length, 0.0);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, ranks.front(),
                      values_tag, MPI_COMM_WORLD, &request);
            wait_asleep(request);
            if (values[0] == 0.0) break;
            Values by_line;
            for (auto at = values.begin() + 1; at != values.end(); at += blocks_of_length) {
                by_line.emplace_back(at, at + blocks_of_length);
            }
            print(s, series[s], static_cast<std::uint64_t>(values[0]), by_line);
        }
    }
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rank = 1; rank < size; ++rank) send_order(no_more_work, rank);
}

/// Every other rank: takes part in the series that rank 0 names.
void follow(const std::vector<NamedSeries>& series,
            const std::vector<std::vector<RankPair>>& pairs) {
    for (;;) {
        std::uint64_t order = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&order, 1, MPI_UINT64_T, 0, order_tag, MPI_COMM_WORLD, &request);
        wait_asleep(request);
        if (order == no_more_work) return;
        take_part(static_cast<std::uint32_t>(order), series[order], pairs[order]);
    }
}

/// Rank 0 reads the series; all ranks get the text.
std::string text_for_all() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string text;
    if (rank == 0) text.assign(std::istreambuf_iterator<char>(std::cin), {});
    std::uint64_t length = text.size();
    MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    text.resize(length);
    MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
}

/// What the argument --collectives[=ROUNDS] asks for.
struct CollectivesAsked {
    std::optional<std::uint32_t> all_rounds;  ///< each call in so many rounds at least
};
/// Returns nothing where links are to be measured.
std::optional<CollectivesAsked> collectives_asked(int argc, char** argv) {
    constexpr std::string_view option = "--collectives";
    std::string_view word = argc > 1 ? argv[1] : "";
    if (!word.starts_with(option)) return std::nullopt;
    word.remove_prefix(std::min(word.size(), option.size() + 1));
    const auto rounds = parse_number(word);
    if (!rounds || *rounds < inside::least_rounds || *rounds > inside::most_rounds)
        return CollectivesAsked{};
    return CollectivesAsked{static_cast<std::uint32_t>(*rounds)};
}

/// The argument of this program: the CPUs of its ranks, or nothing.
std::string_view cpus_of(int argc, char** argv) {
    constexpr std::string_view option = "--cpus=";
    const std::string_view word = argc > 1 ? argv[1] : "";
    return word.starts_with(option) ? word.substr(option.size()) : std::string_view{};
}

/// Returns the first rank that cannot run on its CPU; the number of ranks if all can.
int first_without_cpu(bool has_cpu) {
    int rank = 0;
    int first = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &first);
    if (!has_cpu) first = rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

void say(const Error& error) {
    std::fprintf(stderr, "commmap-measure: %s\n", error.message.c_str());
}

/// Times the collective calls that stand on standard input, and prints each as it is done.
Status run_collectives(const CollectivesAsked& asked) {
    const auto calls = inside::read_calls(text_for_all());
    if (!calls) return calls.error();
    if (!other_algorithms_are_at_work()) {
        return Error{Errc::not_supported,
                     "the ranks have no other algorithms for collective calls: the library "
                     "libcommmap_inside_ompi.so serves Open MPI that is started over PMIx"};
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) print_library();
    for (const inside::CallToTime& call : calls.value()) {
        const inside::TimedCall timed = time_call(call, asked.all_rounds);
        if (rank != 0) continue;
        std::fputs(inside::write_timed(timed).c_str(), stdout);
        std::fflush(stdout);
    }
    return Ok{};
}

/// @param cpu  the CPU of this rank, if it was given one
Status run(const std::optional<std::uint32_t>& cpu) {
    const auto series = read_series(text_for_all());
    if (!series) return series.error();
    const auto rank_of = rank_of_nodes(cpu);
    std::vector<std::vector<RankPair>> pairs;
    for (const NamedSeries& one : series.value()) {
        auto found = rank_pairs(one, rank_of);
        if (!found) return found.error();
        pairs.push_back(std::move(found).value());
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        print_library();
        lead(series.value(), pairs);
    } else {
        follow(series.value(), pairs);
    }
    return Ok{};
}

}  // namespace
}  // namespace commmap::measure

int main(int argc, char** argv) {
    using commmap::measure::say;
    const std::string cpus(commmap::measure::cpus_of(argc, argv));
    static_cast<void>(commmap::measure::run_on_own_cpu(cpus));
    MPI_Init(&argc, &argv);
    const auto cpu = commmap::measure::run_on_own_cpu(cpus);  // an MPI may bind ranks itself
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int without = commmap::measure::first_without_cpu(cpu.ok());
    if (without < size) {
        if (rank == without) say(cpu.error());
        MPI_Finalize();
        return 1;
    }
    // Every rank reads the same text, so all of them fail or none.
    const auto asked = commmap::measure::collectives_asked(argc, argv);
    const commmap::Status done =
        asked ? commmap::measure::run_collectives(*asked) : commmap::measure::run(cpu.value());
    if (!done && rank == 0) say(done.error());
    MPI_Finalize();
    return done ? 0 : 1;
}
