#include "core/profile/profile.hpp"

#include <cassert>

namespace commmap {

const char* collective_name(CollectiveOp op) {
    constexpr std::array names = {
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce_scatter",
        "scan",
        "exscan",
        "neighbor_allgather",
        "neighbor_alltoall",
    };
    static_assert(names.size() == static_cast<std::size_t>(CollectiveOp::count_));
    assert(op < CollectiveOp::count_ && "not a collective");
    return names[static_cast<std::size_t>(op)];
}

}  // namespace commmap
