// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>

#include "core/inside/timed_calls.hpp"

namespace commmap::measure {

/// Tells whether collective calls of all ranks run by the algorithms of libcommmap_inside_ompi.so,
/// which is preloaded. Called by all ranks.
[[nodiscard]] bool other_algorithms_are_at_work();

/// Times a collective call on MPI_COMM_WORLD: in each round once natively, once by the algorithm of
/// the preloaded library, and in the other order in the next round. A time is that of the slowest
/// rank, from a barrier on. The root of a broadcast or reduction is rank 0, as in most programs.
/// Called by all ranks, which get the same times.
/// @param all_rounds  so many rounds at least; nothing: inside::least_rounds, and fewer where the
///                    algorithm is slower by far
[[nodiscard]] inside::TimedCall time_call(const inside::CallToTime& call,
                                          std::optional<std::uint32_t> all_rounds);

}  // namespace commmap::measure
