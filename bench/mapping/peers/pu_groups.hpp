// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree_spec.hpp"

namespace commmap::peers {

/// The PUs of each child of a group.
///
/// @param pus     ascending, of one group at `height`
/// @param height  > 0
/// @return        parts of `pus` in its order; children without any are left out
/// Cost: O(children * log PUs).
[[nodiscard]] std::vector<std::span<const std::int32_t>> split_by_child(
    const bench::TreeSpec& tree, std::span<const std::int32_t> pus, std::size_t height);

}  // namespace commmap::peers
