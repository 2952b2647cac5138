// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace commmap {

/// Computes how many messages of a pair had come by a time. Between two messages the number grows
/// evenly, so that long messages do not make it jump.
/// @param times  at which the messages came, in seconds, ascending
/// @return  from 0, at time 0 and before, to times.size()
[[nodiscard]] double messages_by(std::span<const double> times, double at);

}  // namespace commmap
