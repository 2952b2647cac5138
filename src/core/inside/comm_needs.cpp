// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/comm_needs.hpp"

#include <algorithm>

namespace commmap::inside {
namespace {

/// Whether a communicator can run an algorithm: as it is, or with one more algorithm.
bool can_run(const CommNeed& need, CollectiveOp op, const Algorithm& algorithm) {
    if (need.order != order_of(op, algorithm)) return false;
    if (algorithm.kind != AlgorithmKind::tuned) return true;
    return std::none_of(need.tuned.begin(), need.tuned.end(), [&](const auto& other) {
        return other.first == op && other.second != algorithm;
    });
}

}  // namespace

bool has_blocks(CollectiveOp op) noexcept {
    return op == CollectiveOp::allgather || op == CollectiveOp::alltoall;
}

CommOrder order_of(CollectiveOp op, const Algorithm& algorithm) noexcept {
    return algorithm.kind == AlgorithmKind::tuned && has_blocks(op) ? CommOrder::program
                                                                    : CommOrder::machine;
}

std::optional<std::uint8_t> CommNeeds::number_for(CollectiveOp op, const Algorithm& algorithm) {
    auto found = std::find_if(needs_.begin(), needs_.end(),
                              [&](const CommNeed& need) { return can_run(need, op, algorithm); });
    if (found == needs_.end()) {
        if (needs_.size() == most) return std::nullopt;
        needs_.push_back({order_of(op, algorithm), {}});
        found = std::prev(needs_.end());
    }
    const std::pair entry(op, algorithm);
    const bool is_new =
        std::find(found->tuned.begin(), found->tuned.end(), entry) == found->tuned.end();
    if (algorithm.kind == AlgorithmKind::tuned && is_new) found->tuned.push_back(entry);
    return static_cast<std::uint8_t>(found - needs_.begin());
}

}  // namespace commmap::inside
