// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/algorithms/ring.hpp"

#include <algorithm>

#include "pmix_hooks/inside/algorithms/message_tag.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {
namespace {

/// Some elements of a buffer.
struct Part {
    char* first;
    int count;
};

/// Sends a part to the next place, and receives one from the place before.
int pass_on(const OrderedComm& order, MPI_Datatype type, const Part& out, const Part& in) noexcept {
    const int next = order.behind(order.place(), 1);
    const int before = order.behind(order.place(), order.size() - 1);
    return PMPI(Sendrecv)(out.first, out.count, type, next, message_tag, in.first, in.count, type,
                          before, message_tag, order.comm(), MPI_STATUS_IGNORE);
}

/// A buffer in as many parts as there are ranks, whose lengths differ by one element at most.
class Parts {
public:
    Parts(const OrderedComm& order, char* buffer, int count, MPI_Aint extent)
        : order_(order), buffer_(buffer), count_(count), extent_(extent) {}

    /// @param part  any number from -ranks on; the first part is behind the last one
    [[nodiscard]] Part operator[](int part) const {
        const int ranks = order_.size();
        const int number = (part + ranks) % ranks;
        const int longer = count_ % ranks;  // parts with one element more
        const MPI_Aint before = MPI_Aint{number} * (count_ / ranks) + std::min(number, longer);
        return {buffer_ + before * extent_, count_ / ranks + (number < longer ? 1 : 0)};
    }

private:
    const OrderedComm& order_;
    char* buffer_;
    int count_;
    MPI_Aint extent_;
};

}  // namespace

int ring_allgather(const OrderedComm& order, char* blocks, int count,
                   const Elements& elements) noexcept {
    const auto block_at = [&](int place) {
        const int rank = order.rank_at(order.behind(place, order.size()));
        return Part{blocks + MPI_Aint{rank} * count * elements.extent_bytes, count};
    };
    int status = MPI_SUCCESS;
    for (int step = 0; step < order.size() - 1 && status == MPI_SUCCESS; ++step) {
        const int last = order.place() - step;
        status = pass_on(order, elements.type, block_at(last), block_at(last - 1));
    }
    return status;
}

int ring_allreduce(const OrderedComm& order, char* buffer, int count, const Elements& elements,
                   MPI_Op op, char* spare) noexcept {
    const Parts parts(order, buffer, count, elements.extent_bytes);
    const int ranks = order.size();
    int status = MPI_SUCCESS;
    for (int step = 0; step < ranks - 1 && status == MPI_SUCCESS; ++step) {
        const Part own = parts[order.place() - step - 1];
        status = pass_on(order, elements.type, parts[order.place() - step], {spare, own.count});
        if (status == MPI_SUCCESS) {
            status = PMPI(Reduce_local)(spare, own.first, own.count, elements.type, op);
        }
    }
    for (int step = 0; step < ranks - 1 && status == MPI_SUCCESS; ++step) {
        const int last = order.place() + 1 - step;
        status = pass_on(order, elements.type, parts[last], parts[last - 1]);
    }
    return status;
}

}  // namespace commmap::inside
