#include <algorithm>

#include "core/collectives/algorithms.hpp"

namespace commmap {

/// gather_binomial backwards.
/// Source: Open MPI, coll_base_scatter.c, binomial.
void scatter_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const auto begin = static_cast<std::ptrdiff_t>(messages.size());
    gather_binomial(call, messages);
    std::reverse(messages.begin() + begin, messages.end());
    for (auto m = messages.begin() + begin; m != messages.end(); ++m) {
        std::swap(m->source, m->destination);
    }
}

}  // namespace commmap
