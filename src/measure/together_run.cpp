// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/together_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/calibration/blocks.hpp"
#include "core/calibration/messages_by.hpp"

namespace commmap::measure {
namespace {

constexpr int message_tag = 1;
constexpr double most_messages = 400000;

}  // namespace

TogetherRun::TogetherRun(MPI_Comm comm, std::vector<RankPair> pairs)
    : comm_(comm), pairs_(std::move(pairs)) {
    MPI_Comm_rank(comm, &own_);
}

std::vector<std::vector<double>> TogetherRun::measure(std::uint64_t length_bytes) {
    const int length = static_cast<int>(length_bytes);
    sent_.assign(length_bytes, 1);
    received_.assign(length_bytes * messages_at_once, 0);
    // The first exchange opens connections. A lost packet costs 0.2 s or more: the better of two
    // looks counts.
    static_cast<void>(times_of(length, 1));
    double looks_s = 0.0;
    for (int look = 0; look < 2; ++look) {
        const std::vector<double> times = times_of(length, messages_at_once);
        double longest = times.empty() ? 0.0 : times.back();
        MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, comm_);
        looks_s = look == 0 ? longest : std::min(looks_s, longest);
    }
    const double of_message_s = std::max(looks_s / messages_at_once, 1e-9);
    const auto messages = static_cast<std::uint32_t>(
        std::clamp(std::ceil(seconds_of_together_block / of_message_s),
                   static_cast<double>(least_messages_together), most_messages));
    const bool is_first = std::exchange(first_length_, false);
    const double expected_s = messages * of_message_s * blocks_of_length;
    if (!is_first && expected_s > most_seconds_of_together_length) return {};
    std::vector<std::vector<double>> values(pairs_.size());
    for (std::uint32_t block = 0; block < blocks_of_length; ++block) {
        const std::vector<double> rates = block_of(length_bytes, messages);
        for (std::size_t p = 0; p < values.size(); ++p) values[p].push_back(rates[p]);
    }
    return values;
}

std::vector<double> TogetherRun::block_of(std::uint64_t length_bytes, std::uint32_t messages) {
    const std::vector<double> times = times_of(static_cast<int>(length_bytes), messages);
    // The latest beginning and the earliest end; a minimum of negative times is a maximum.
    std::array<double, 2> moments{HUGE_VAL, HUGE_VAL};
    if (!times.empty()) moments = {-times.at(messages_at_once - 1), times.back()};
    MPI_Allreduce(MPI_IN_PLACE, moments.data(), 2, MPI_DOUBLE, MPI_MIN, comm_);
    double begin = -moments[0];
    double end = moments[1];
    // Where the pairs never all sent, each counts by itself: too much is no limit of a switch.
    if (begin >= end && !times.empty()) {
        begin = 0.0;
        end = times.back();
    }
    std::vector<double> rates(pairs_.size(), 0.0);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        if (pairs_[p].receiver != own_) continue;
        const double got = messages_by(times, end) - messages_by(times, begin);
        rates[p] = got * static_cast<double>(length_bytes) / (end - begin);
    }
    MPI_Allreduce(MPI_IN_PLACE, rates.data(), static_cast<int>(rates.size()), MPI_DOUBLE, MPI_MAX,
                  comm_);
    return rates;
}

std::vector<double> TogetherRun::times_of(int length_bytes, std::uint32_t messages) {
    int partner = MPI_PROC_NULL;
    bool sends = false;
    for (const RankPair& pair : pairs_) {
        if (pair.sender == own_) {
            partner = pair.receiver;
            sends = true;
        } else if (pair.receiver == own_) {
            partner = pair.sender;
        }
    }
    std::array<MPI_Request, messages_at_once> requests{};
    requests.fill(MPI_REQUEST_NULL);
    std::vector<double> times;
    MPI_Barrier(comm_);
    const double since = MPI_Wtime();
    // Messages of a pair come in order, so the requests end by turns.
    for (std::uint32_t m = 0; m < messages + messages_at_once; ++m) {
        const std::size_t slot = m % messages_at_once;
        if (m >= messages_at_once && m - messages_at_once < messages) {
            MPI_Wait(&requests.at(slot), MPI_STATUS_IGNORE);
            if (!sends) times.push_back(MPI_Wtime() - since);
        }
        if (m >= messages) continue;
        if (sends) {
            MPI_Isend(sent_.data(), length_bytes, MPI_CHAR, partner, message_tag, comm_,
                      &requests.at(slot));
        } else {
            char* into = received_.data() + slot * static_cast<std::size_t>(length_bytes);
            MPI_Irecv(into, length_bytes, MPI_CHAR, partner, message_tag, comm_,
                      &requests.at(slot));
        }
    }
    return times;
}

}  // namespace commmap::measure
