// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/messages_by.hpp"

#include <algorithm>

namespace commmap {

double messages_by(std::span<const double> times, double at) {
    if (at <= 0) return 0.0;
    const auto next = std::upper_bound(times.begin(), times.end(), at);
    const auto whole = static_cast<double>(next - times.begin());
    if (next == times.end()) return whole;
    const double last = next == times.begin() ? 0.0 : *(next - 1);
    return whole + (at - last) / (*next - last);
}

}  // namespace commmap
