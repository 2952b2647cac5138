// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/gap_blocks.hpp"

#include <algorithm>

namespace commmap {

std::vector<double> gaps_of_blocks(const std::vector<double>& bursts,
                                   const std::vector<double>& singles, std::uint32_t messages) {
    const double single = *std::min_element(singles.begin(), singles.end());
    std::vector<double> gaps;
    gaps.reserve(bursts.size());
    for (const double burst : bursts) {
        gaps.push_back(std::max((burst - single) / (messages - 1), no_gap_s));
    }
    return gaps;
}

}  // namespace commmap
