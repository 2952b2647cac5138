// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/short_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/calibration/blocks.hpp"
#include "core/calibration/gap_blocks.hpp"
#include "core/calibration/upper_median.hpp"

namespace commmap::measure {
namespace {

constexpr int message_tag = 1;
constexpr double least_s = 1e-9;
/// A single slow exchange must not be the middle one.
constexpr double least_times = 11;
constexpr double most_times = 10000;

}  // namespace

ShortRun::ShortRun(MeasuringPattern pattern, MPI_Comm comm, const std::vector<RankPair>& pairs)
    : pattern_(pattern), comm_(comm), pair_(pairs.front()) {
    MPI_Comm_rank(comm, &own_);
}

std::vector<double> ShortRun::measure(std::uint64_t length_bytes) {
    length_ = static_cast<int>(length_bytes);
    sent_.assign(length_bytes, 1);
    received_.assign(length_bytes * messages_of_burst, 0);
    const std::uint32_t messages = pattern_ == MeasuringPattern::gaps ? messages_of_burst : 1;
    // The first exchange opens connections. A lost packet costs 0.2 s or more: the better of two
    // looks counts.
    static_cast<void>(seconds_of(1, 1));
    const double look = seconds_of(messages, exchanges_for_a_look);
    const double once = std::min(look, seconds_of(messages, exchanges_for_a_look));
    const double exchange_s = pattern_ == MeasuringPattern::receive_overheads ? 3 * once : once;
    const auto times = static_cast<std::uint32_t>(
        std::clamp(seconds_of_block / exchange_s, least_times, most_times));
    std::vector<double> values;
    std::vector<double> singles;
    for (std::uint32_t block = 0; block < blocks_of_length; ++block) {
        MPI_Barrier(comm_);
        if (pattern_ == MeasuringPattern::gaps) {
            values.push_back(seconds_of(messages_of_burst, times));
            singles.push_back(seconds_of(1, times));
        } else if (pattern_ == MeasuringPattern::send_overheads) {
            values.push_back(std::max(send_s(times), least_s));
        } else {
            values.push_back(std::max(receive_s(times, 2 * once), least_s));
        }
    }
    const int root =
        pattern_ == MeasuringPattern::receive_overheads ? pair_.receiver : pair_.sender;
    MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, root, comm_);
    if (pattern_ == MeasuringPattern::gaps) {
        values = gaps_of_blocks(values, singles, messages_of_burst);
    }
    return values;
}

void ShortRun::exchange(std::uint32_t messages) {
    requests_.clear();
    if (own_ == pair_.sender) {
        for (std::uint32_t m = 0; m < messages; ++m) {
            MPI_Isend(sent_.data(), length_, MPI_CHAR, pair_.receiver, message_tag, comm_,
                      &requests_.emplace_back());
        }
        MPI_Waitall(static_cast<int>(messages), requests_.data(), MPI_STATUSES_IGNORE);
        MPI_Recv(received_.data(), length_, MPI_CHAR, pair_.receiver, message_tag, comm_,
                 MPI_STATUS_IGNORE);
        return;
    }
    for (std::uint32_t m = 0; m < messages; ++m) {
        char* into = received_.data() + static_cast<std::size_t>(m) * sent_.size();
        MPI_Irecv(into, length_, MPI_CHAR, pair_.sender, message_tag, comm_,
                  &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(messages), requests_.data(), MPI_STATUSES_IGNORE);
    MPI_Send(sent_.data(), length_, MPI_CHAR, pair_.sender, message_tag, comm_);
}

double ShortRun::seconds_of(std::uint32_t messages, std::uint32_t times) {
    MPI_Barrier(comm_);
    const double begin = MPI_Wtime();
    for (std::uint32_t t = 0; t < times; ++t) exchange(messages);
    double seconds = (MPI_Wtime() - begin) / times;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, pair_.sender, comm_);
    return seconds;
}

double ShortRun::send_s(std::uint32_t times) {
    std::vector<double> seconds;
    for (std::uint32_t t = 0; t < times; ++t) {
        if (own_ != pair_.sender) {
            exchange(1);
            continue;
        }
        const double begin = MPI_Wtime();
        MPI_Send(sent_.data(), length_, MPI_CHAR, pair_.receiver, message_tag, comm_);
        seconds.push_back(MPI_Wtime() - begin);
        MPI_Recv(received_.data(), length_, MPI_CHAR, pair_.receiver, message_tag, comm_,
                 MPI_STATUS_IGNORE);
    }
    return own_ == pair_.sender ? upper_median(seconds) : 0.0;
}

double ShortRun::receive_s(std::uint32_t times, double until_there_s) {
    std::vector<double> seconds;
    for (std::uint32_t t = 0; t < times; ++t) {
        if (own_ == pair_.sender) {
            exchange(1);
            continue;
        }
        // The sender sends at once after an answer. Nobody may call MPI here until the message has
        // come, because MPI would take it in.
        const double there = MPI_Wtime() + until_there_s;
        while (MPI_Wtime() < there) {
        }
        const double begin = MPI_Wtime();
        MPI_Recv(received_.data(), length_, MPI_CHAR, pair_.sender, message_tag, comm_,
                 MPI_STATUS_IGNORE);
        seconds.push_back(MPI_Wtime() - begin);
        MPI_Send(sent_.data(), length_, MPI_CHAR, pair_.sender, message_tag, comm_);
    }
    return own_ == pair_.receiver ? upper_median(seconds) : 0.0;
}

}  // namespace commmap::measure
