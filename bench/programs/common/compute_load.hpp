// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::bench {

/// The arithmetic between two rounds of communication: a fixed number of steps of a linear
/// congruential generator, chosen once so that it takes `microseconds` of CPU time.
///
/// The work is fixed, not the time: on a busy machine an iteration takes longer, as in a real
/// program. The result is compared with the closed form of n steps.
class ComputeLoad {
public:
    /// Measures the speed of this CPU (a few ms); nothing is measured for 0 microseconds.
    explicit ComputeLoad(double microseconds);

    /// Does the work of one iteration; false when the result is wrong.
    [[nodiscard]] bool run(std::uint64_t start) const;

private:
    std::uint64_t steps_ = 0;
};

}  // namespace commmap::bench
