// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/algorithms/chain_broadcast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "pmix_hooks/inside/algorithms/message_tag.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {
namespace {

/// Receives that are posted ahead, and sends that are on their way.
constexpr std::uint64_t window = 4;
using Requests = std::array<MPI_Request, window>;

/// One rank's part in a chain.
class Link {
public:
    Link(const OrderedComm& order, char* buffer, std::uint64_t num_bytes, std::uint32_t segment)
        : order_(order), buffer_(buffer), num_bytes_(num_bytes), segment_(segment) {}

    [[nodiscard]] std::uint64_t num_segments() const {
        return (num_bytes_ + segment_ - 1) / segment_;
    }
    [[nodiscard]] int receive(std::uint64_t s, MPI_Request& request) const {
        return PMPI(Irecv)(at(s), length(s), hooks::type_byte(),
                           order_.behind(order_.place(), order_.size() - 1), message_tag,
                           order_.comm(), &request);
    }
    [[nodiscard]] int send(std::uint64_t s, MPI_Request& request) const {
        return PMPI(Isend)(at(s), length(s), hooks::type_byte(), order_.behind(order_.place(), 1),
                           message_tag, order_.comm(), &request);
    }

private:
    [[nodiscard]] char* at(std::uint64_t s) const { return buffer_ + s * segment_; }
    [[nodiscard]] int length(std::uint64_t s) const {
        return static_cast<int>(std::min<std::uint64_t>(segment_, num_bytes_ - s * segment_));
    }

    const OrderedComm& order_;
    char* buffer_;
    std::uint64_t num_bytes_;
    std::uint32_t segment_;
};

int wait(MPI_Request& request) noexcept { return PMPI(Wait)(&request, MPI_STATUS_IGNORE); }

/// Takes back a receive that was posted, so that no later message is written into the buffer.
void take_back(MPI_Request& request) noexcept {
    if (PMPI(Cancel)(&request) == MPI_SUCCESS) static_cast<void>(wait(request));
}

}  // namespace

int chain_broadcast(const OrderedComm& order, char* buffer, std::uint64_t num_bytes, int root_place,
                    std::uint32_t segment_bytes) noexcept {
    const Link link(order, buffer, num_bytes, segment_bytes);
    const int from_root = order.behind(order.place(), order.size() - root_place);
    const bool receives = from_root > 0;
    const bool sends = from_root < order.size() - 1;
    const std::uint64_t segments = link.num_segments();
    Requests receiving{};
    Requests sending{};
    int status = MPI_SUCCESS;
    std::uint64_t posted = 0;
    std::uint64_t received = 0;
    while (receives && posted < std::min(segments, window) && status == MPI_SUCCESS) {
        status = link.receive(posted, receiving.at(posted));
        if (status == MPI_SUCCESS) ++posted;
    }
    for (std::uint64_t s = 0; s < segments && status == MPI_SUCCESS; ++s) {
        const std::size_t slot = s % window;
        if (receives) {
            status = wait(receiving.at(slot));
            ++received;
        }
        if (sends && s >= window && status == MPI_SUCCESS) status = wait(sending.at(slot));
        if (sends && status == MPI_SUCCESS) status = link.send(s, sending.at(slot));
        if (receives && s + window < segments && status == MPI_SUCCESS) {
            status = link.receive(s + window, receiving.at(slot));
            if (status == MPI_SUCCESS) ++posted;
        }
    }
    for (; status != MPI_SUCCESS && received < posted; ++received) {
        take_back(receiving.at(received % window));
    }
    const std::uint64_t first = segments - std::min(segments, window);
    for (std::uint64_t s = first; sends && s < segments && status == MPI_SUCCESS; ++s) {
        status = wait(sending.at(s % window));
    }
    return status;
}

}  // namespace commmap::inside
