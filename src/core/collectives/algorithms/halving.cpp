// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/halving.hpp"

#include <utility>

namespace commmap {

std::vector<std::vector<Window>> exchange_halves(const PowerOfTwoGroup& group,
                                                 std::uint64_t payload_bytes,
                                                 std::vector<ScheduledMessage>& messages) {
    std::vector<std::vector<Window>> windows{{group.size, Window{0, payload_bytes}}};
    std::uint64_t step = next_step(messages);
    for (std::uint32_t distance = 1; distance < group.size; distance *= 2, ++step) {
        std::vector<Window> next = windows.back();
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const bool upper = (i & distance) != 0;
            messages.push_back({group.member(i, false), group.member(i ^ distance, false),
                                next[i].half(!upper).bytes(), step});
            next[i] = next[i].half(upper);
        }
        windows.push_back(std::move(next));
    }
    return windows;
}

}  // namespace commmap
