// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Sends the messages of gather_binomial backwards.
/// Source: Open MPI, coll_base_scatter.c, binomial.
void scatter_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const auto begin = static_cast<std::ptrdiff_t>(messages.size());
    const std::uint64_t first = next_step(messages);
    gather_binomial(call, messages);
    const std::uint64_t end = next_step(messages);
    std::reverse(messages.begin() + begin, messages.end());
    for (auto m = messages.begin() + begin; m != messages.end(); ++m) {
        std::swap(m->source, m->destination);
        m->step = first + (end - 1 - m->step);
    }
}

}  // namespace commmap
