#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// "4(x3),2" -> 4 4 4 2, as in SLURM_JOB_CPUS_PER_NODE. Errors: invalid_input.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_slurm_counts(std::string_view text);

/// The other way, without runs: "4,4,4,2".
[[nodiscard]] std::string format_counts(const std::vector<std::uint32_t>& counts);

}  // namespace commmap
