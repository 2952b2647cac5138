#pragma once

#include <cstdint>
#include <vector>

#include "core/collectives/algorithms/members.hpp"
#include "core/collectives/schedule.hpp"

namespace commmap {

/// The bytes [begin, end) of a payload.
struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    [[nodiscard]] Window half(bool upper) const {
        const std::uint64_t middle = begin + (end - begin) / 2;
        return upper ? Window{middle, end} : Window{begin, middle};
    }
    [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Reduce-scatter by recursive halving: participants at distance 1, 2, 4, ... exchange the half of
/// what is left that the other one goes on with. The even member of a pair takes part.
/// @return what participant i still has, [step][i]; first the whole payload, last what it keeps
[[nodiscard]] std::vector<std::vector<Window>> exchange_halves(
    const PowerOfTwoGroup& group, std::uint64_t payload_bytes,
    std::vector<ScheduledMessage>& messages);

}  // namespace commmap
