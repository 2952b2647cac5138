#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// The node of each rank as its index in node-list order, with runs: "3,0x2,1" = rank 0 on node 3,
/// ranks 1 and 2 on node 0, rank 3 on node 1.
[[nodiscard]] std::string format_node_runs(std::span<const std::uint32_t> node_of_rank);

/// The other way. invalid_input for anything else, or more than 2^22 ranks: takes untrusted text.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_node_runs(std::string_view text);

}  // namespace commmap
