// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "tree_spec.hpp"

namespace commmap::peers {

enum class Filling {
    block,  ///< one group after the other: the first PUs
    spread  ///< every group the same share of its PUs, rounded so that the sum is right
};

/// The PUs that get a rank each, ascending.
///
/// @param available  by PU: whether it may be one of them
/// Throws InputError when there are more ranks than PUs. Cost: O(PUs * height).
[[nodiscard]] std::vector<std::int32_t> choose_pus(const bench::TreeSpec& tree,
                                                   const std::vector<bool>& available,
                                                   std::int32_t ranks, Filling filling);

}  // namespace commmap::peers
