// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/pair_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "core/calibration/blocks.hpp"
#include "core/calibration/upper_median.hpp"

namespace commmap {
namespace {

constexpr double most_messages = 400000;

}  // namespace

std::vector<std::uint32_t> messages_of_pairs(const std::vector<double>& seconds) {
    const double of_middle = seconds_of_stream_block / std::max(upper_median(seconds), 1e-9);
    std::vector<std::uint32_t> messages;
    for (const double of_message : seconds) {
        const double wanted =
            std::min(of_middle, most_seconds_of_pair_block / std::max(of_message, 1e-9));
        messages.push_back(static_cast<std::uint32_t>(
            std::clamp(std::ceil(wanted), static_cast<double>(messages_at_once), most_messages)));
    }
    return messages;
}

}  // namespace commmap
