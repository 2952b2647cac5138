// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/pair_run.hpp"

#include <algorithm>
#include <cstddef>

#include "core/calibration/blocks.hpp"
#include "core/calibration/pair_blocks.hpp"

namespace commmap::measure {

PairRun::PairRun(MPI_Comm comm, std::vector<RankPair> pairs)
    : comm_(comm), num_pairs_(pairs.size()) {
    int own = 0;
    MPI_Comm_rank(comm, &own);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        if (pairs[p].sender == own) own_.push_back({p, pairs[p].receiver, true});
        if (pairs[p].receiver == own) own_.push_back({p, pairs[p].sender, false});
    }
}

std::vector<std::vector<double>> PairRun::measure(std::uint64_t length_bytes) {
    const int length = static_cast<int>(length_bytes);
    sent_.assign(length_bytes, 1);
    received_.assign(length_bytes * own_.size() * messages_at_once, 0);
    // The first exchange opens connections.
    static_cast<void>(seconds_of(length, std::vector<std::uint32_t>(num_pairs_, 1)));
    const std::vector<std::uint32_t> few(num_pairs_, messages_at_once);
    const std::vector<double> once = seconds_of(length, few);
    const std::vector<double> again = seconds_of(length, few);
    std::vector<double> better(num_pairs_);
    std::transform(once.begin(), once.end(), again.begin(), better.begin(),
                   [](double a, double b) { return std::min(a, b) / messages_at_once; });
    // All ranks have the same times, so a sender and its receiver agree.
    const std::vector<std::uint32_t> messages = messages_of_pairs(better);
    std::vector<std::vector<double>> values(num_pairs_);
    for (std::uint32_t block = 0; block < blocks_of_length; ++block) {
        const std::vector<double> seconds = seconds_of(length, messages);
        for (std::size_t p = 0; p < num_pairs_; ++p) {
            values[p].push_back(static_cast<double>(messages[p]) *
                                static_cast<double>(length_bytes) / seconds[p]);
        }
    }
    return values;
}

std::vector<double> PairRun::seconds_of(int length, const std::vector<std::uint32_t>& messages) {
    struct Progress {
        std::uint32_t begun = 0;
        std::uint32_t done = 0;
    };
    std::vector<Progress> progress(own_.size());
    std::vector<MPI_Request> requests(own_.size() * messages_at_once, MPI_REQUEST_NULL);
    const auto begin_one = [&](std::size_t slot) {
        const std::size_t s = slot / messages_at_once;
        const Stream& stream = own_[s];
        if (progress[s].begun == messages[stream.pair]) return;
        ++progress[s].begun;
        const int tag = static_cast<int>(stream.pair % 16384);
        if (stream.sends) {
            MPI_Isend(sent_.data(), length, MPI_CHAR, stream.partner, tag, comm_, &requests[slot]);
        } else {
            char* into = received_.data() + slot * static_cast<std::size_t>(length);
            MPI_Irecv(into, length, MPI_CHAR, stream.partner, tag, comm_, &requests[slot]);
        }
    };
    std::vector<double> seconds(num_pairs_, 0.0);
    MPI_Barrier(comm_);
    const double begin = MPI_Wtime();
    for (std::size_t slot = 0; slot < requests.size(); ++slot) begin_one(slot);
    for (;;) {
        int slot = 0;
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &slot, MPI_STATUS_IGNORE);
        if (slot == MPI_UNDEFINED) break;
        const std::size_t s = static_cast<std::size_t>(slot) / messages_at_once;
        if (++progress[s].done == messages[own_[s].pair]) {
            double& of_pair = seconds[own_[s].pair];
            of_pair = std::max(of_pair, MPI_Wtime() - begin);
        }
        begin_one(static_cast<std::size_t>(slot));
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE,
                  MPI_MAX, comm_);
    return seconds;
}

}  // namespace commmap::measure
