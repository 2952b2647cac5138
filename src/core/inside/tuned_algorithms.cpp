// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/tuned_algorithms.hpp"

#include <algorithm>
#include <array>

namespace commmap::inside {
namespace {

constexpr std::array of_bcast{
    TunedAlgorithm{3, "pipeline", true}, TunedAlgorithm{4, "split_binary_tree", true},
    TunedAlgorithm{5, "binary_tree", true}, TunedAlgorithm{6, "binomial", true},
    TunedAlgorithm{9, "scatter_allgather_ring", false}};
constexpr std::array of_reduce{
    TunedAlgorithm{3, "pipeline", true}, TunedAlgorithm{4, "binary", true},
    TunedAlgorithm{5, "binomial", true}, TunedAlgorithm{7, "rabenseifner", false}};
constexpr std::array of_allreduce{
    TunedAlgorithm{3, "recursive_doubling", false}, TunedAlgorithm{4, "ring", false},
    TunedAlgorithm{5, "segmented_ring", true}, TunedAlgorithm{6, "rabenseifner", false}};
constexpr std::array of_allgather{
    TunedAlgorithm{2, "bruck", false}, TunedAlgorithm{3, "recursive_doubling", false},
    TunedAlgorithm{4, "ring", false}, TunedAlgorithm{5, "neighbor", false}};
constexpr std::array of_alltoall{TunedAlgorithm{1, "linear", false},
                                 TunedAlgorithm{2, "pairwise", false}};

template <class Test>
const TunedAlgorithm* find_if(CollectiveOp op, Test&& test) noexcept {
    const auto all = tuned_algorithms(op);
    const auto found = std::find_if(all.begin(), all.end(), test);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const TunedAlgorithm> tuned_algorithms(CollectiveOp op) noexcept {
    switch (op) {
        case CollectiveOp::bcast:
            return of_bcast;
        case CollectiveOp::reduce:
            return of_reduce;
        case CollectiveOp::allreduce:
            return of_allreduce;
        case CollectiveOp::allgather:
            return of_allgather;
        case CollectiveOp::alltoall:
            return of_alltoall;
        default:
            return {};
    }
}

const TunedAlgorithm* find_tuned(CollectiveOp op, std::string_view name) noexcept {
    return find_if(op, [&](const TunedAlgorithm& one) { return one.name == name; });
}

const TunedAlgorithm* find_tuned(CollectiveOp op, std::uint8_t number) noexcept {
    return find_if(op, [&](const TunedAlgorithm& one) { return one.number == number; });
}

}  // namespace commmap::inside
