// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Writes the node of each rank as its index in node-list order, with repeats in short form.
/// "3,0x2,1": rank 0 on node 3, ranks 1 and 2 on node 0, rank 3 on node 1.
[[nodiscard]] std::string format_node_runs(std::span<const std::uint32_t> node_of_rank);

/// Reads what format_node_runs() wrote. The text need not be trusted.
/// Errors: invalid_input for any other text, or more than 2^22 ranks.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_node_runs(std::string_view text);

}  // namespace commmap
