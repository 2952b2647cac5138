// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/neighbour_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/message.hpp"

namespace commmap::bench {

NeighbourExchange::NeighbourExchange(RunContext& context, std::vector<Neighbour> neighbours)
    : context_(context),
      neighbours_(std::move(neighbours)),
      requests_(2 * neighbours_.size(), MPI_REQUEST_NULL) {
    for (const Neighbour& neighbour : neighbours_) {
        outgoing_.emplace_back(neighbour.bytes);
        incoming_.emplace_back(neighbour.bytes);
    }
}

std::uint64_t NeighbourExchange::max_message_bytes() const {
    std::uint64_t largest = 0;
    for (const Neighbour& neighbour : neighbours_) {
        largest = std::max(largest, neighbour.bytes);
    }
    return largest;
}

void NeighbourExchange::run(std::uint64_t iteration) {
    const int self = context_.rank();
    const std::uint64_t seed = context_.options().seed;

    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& peer = neighbours_[i];
        MPI_Irecv(incoming_[i].data(), static_cast<int>(peer.bytes), MPI_BYTE, peer.rank,
                  peer.receive_channel, MPI_COMM_WORLD, &requests_[2 * i]);
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& peer = neighbours_[i];
        fill_message(outgoing_[i], {seed, self, peer.rank, peer.send_channel, iteration});
        context_.damage_if_asked(outgoing_[i]);
        MPI_Isend(outgoing_[i].data(), static_cast<int>(peer.bytes), MPI_BYTE, peer.rank,
                  peer.send_channel, MPI_COMM_WORLD, &requests_[2 * i + 1]);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);

    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& peer = neighbours_[i];
        const MessageId expected{seed, peer.rank, self, peer.receive_channel, iteration};
        if (const auto offset = find_damage(incoming_[i], expected)) {
            throw CheckError("message from rank " + std::to_string(peer.rank) + " of iteration " +
                             std::to_string(iteration) + " is wrong at byte " +
                             std::to_string(*offset) + " of " + std::to_string(peer.bytes));
        }
    }
}

}  // namespace commmap::bench
