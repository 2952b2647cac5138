// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/length_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/calibration/blocks.hpp"

namespace commmap::measure {
namespace {

constexpr int message_tag = 1;
constexpr double most_times = 100000;

}  // namespace

LengthRun::LengthRun(MeasuringPattern pattern, MPI_Comm comm, std::vector<RankPair> pairs)
    : pattern_(pattern), comm_(comm), pairs_(std::move(pairs)) {
    int own = 0;
    MPI_Comm_rank(comm, &own);
    for (const RankPair& pair : pairs_) {
        const bool both = pattern != MeasuringPattern::streams;
        if (pair.sender == own) to_.push_back(pair.receiver);
        if (pair.receiver == own) from_.push_back(pair.sender);
        if (both && pair.sender == own) from_.push_back(pair.receiver);
        if (both && pair.receiver == own) to_.push_back(pair.sender);
    }
}

std::vector<double> LengthRun::measure(std::uint64_t length_bytes) {
    const auto bytes = static_cast<double>(length_bytes);
    // A longer message takes at least as long for each byte as it takes in the network: there is no
    // need to send one to see that it is too long.
    const bool first = seconds_per_byte_ == 0.0;
    if (!first && seconds_per_byte_ * bytes * blocks_of_length > 4 * most_seconds_of_length) {
        return {};
    }
    const std::size_t at_once = pattern_ == MeasuringPattern::round_trips ? 1 : messages_at_once;
    sent_.assign(length_bytes, 1);
    received_.assign(length_bytes * at_once * std::max<std::size_t>(from_.size(), 1), 0);
    // The first exchange opens connections.
    static_cast<void>(seconds_of(length_bytes, 1));
    double once = seconds_of(length_bytes, 1);
    // A lost packet, which costs 0.2 s or more, must not end the series: the better of two counts.
    if (once > seconds_of_block) once = std::min(once, seconds_of(length_bytes, 1));
    seconds_per_byte_ = once / bytes;
    if (!first && once * blocks_of_length > most_seconds_of_length) return {};
    const double wanted_s = seconds_of_block_of(pattern_, length_bytes);
    const auto times = static_cast<std::uint32_t>(
        std::clamp(std::ceil(wanted_s / std::max(once, 1e-9)), 1.0, most_times));
    std::vector<double> values;
    for (std::uint32_t block = 0; block < blocks_of_length; ++block) {
        const double seconds = seconds_of(length_bytes, times) / times;
        const double directions = pattern_ == MeasuringPattern::both_ways ? 2.0 : 1.0;
        values.push_back(pattern_ == MeasuringPattern::round_trips
                             ? seconds / 2
                             : directions * static_cast<double>(pairs_.size()) *
                                   static_cast<double>(at_once) * bytes / seconds);
    }
    return values;
}

double LengthRun::seconds_of(std::uint64_t length_bytes, std::uint32_t times) {
    MPI_Barrier(comm_);
    const double begin = MPI_Wtime();
    if (pattern_ == MeasuringPattern::round_trips) {
        round_trips(static_cast<int>(length_bytes), times);
    } else {
        streams(static_cast<int>(length_bytes), times);
        // A rank that left the first barrier late would miss the time in which messages came, and a
        // sender ends before its messages have come.
        MPI_Barrier(comm_);
    }
    const double own = MPI_Wtime() - begin;
    double longest = 0.0;
    MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return longest;
}

void LengthRun::round_trips(int length, std::uint32_t times) {
    int own = 0;
    MPI_Comm_rank(comm_, &own);
    for (const RankPair& pair : pairs_) {
        for (std::uint32_t t = 0; t < times; ++t) {
            if (pair.sender == own) {
                MPI_Send(sent_.data(), length, MPI_CHAR, pair.receiver, message_tag, comm_);
                MPI_Recv(received_.data(), length, MPI_CHAR, pair.receiver, message_tag, comm_,
                         MPI_STATUS_IGNORE);
            } else if (pair.receiver == own) {
                MPI_Recv(received_.data(), length, MPI_CHAR, pair.sender, message_tag, comm_,
                         MPI_STATUS_IGNORE);
                MPI_Send(sent_.data(), length, MPI_CHAR, pair.sender, message_tag, comm_);
            }
        }
    }
}

void LengthRun::streams(int length, std::uint32_t times) {
    std::vector<MPI_Request> requests;
    for (std::uint32_t t = 0; t < times; ++t) {
        requests.clear();
        char* into = received_.data();
        for (std::uint32_t m = 0; m < messages_at_once; ++m) {
            for (const int rank : from_) {
                MPI_Irecv(into, length, MPI_CHAR, rank, message_tag, comm_,
                          &requests.emplace_back());
                into += length;
            }
        }
        for (std::uint32_t m = 0; m < messages_at_once; ++m) {
            for (const int rank : to_) {
                MPI_Isend(sent_.data(), length, MPI_CHAR, rank, message_tag, comm_,
                          &requests.emplace_back());
            }
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
}

}  // namespace commmap::measure
