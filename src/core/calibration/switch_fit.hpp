// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/calibration/measuring_text.hpp"
#include "core/calibration/port_fit.hpp"
#include "core/calibration/series.hpp"
#include "core/calibration/switch_kind.hpp"

namespace commmap {

/// What a switch lets through, computed from the measurements. Values are medians of the blocks in
/// payload: bytes of the program's messages, without headers.
struct MeasuredSwitch {
    std::optional<MeasuredValue> alone;     ///< what one pair gets while no other sends
    std::optional<MeasuredValue> together;  ///< what all pairs get at once
    /// Whether the switch limits the pairs, and not their ports. All of these hold:
    /// - The pairs get less than 0.85 of what they would get if each got what one gets alone.
    /// - The pair that was measured alone gets less than 0.9 of that, and so do more than half of
    ///   all pairs. Slow nodes slow their own pairs only.
    /// - The blocks differ by at most 15 %, alone and together: most other load comes and goes.
    bool is_limit = false;

    [[nodiscard]] bool measured() const { return alone && together; }
};

/// Computes what the measured switch of each kind lets through. The length of messages with which
/// the pairs get the most counts, of those whose blocks differ by at most 15 %; of all where none
/// is so.
/// @param series    what was planned
/// @param measured  answers, in any order. Lengths that lack a pair, or have a pair twice or
///                  with fewer blocks than others, do not count.
/// @return  one for each kind, in their order
/// Cost: O(measured * log(measured)).
[[nodiscard]] std::vector<MeasuredSwitch> fit_switches(std::span<const SwitchKind> kinds,
                                                       std::span<const Series> series,
                                                       std::span<const Measured> measured);

}  // namespace commmap
