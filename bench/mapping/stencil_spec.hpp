// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "graphs/stencil.hpp"

namespace commmap::bench {

/// A stencil in words.
///
/// @param sides  "32x16x8"; at most max_ranks ranks
/// @param steps  "1,0,0:64" each: an offset, which may be longer than 1, and a weight below 2^32
/// Throws InputError.
[[nodiscard]] Stencil read_stencil_spec(const std::string& sides,
                                        const std::vector<std::string>& steps, bool periodic);

}  // namespace commmap::bench
