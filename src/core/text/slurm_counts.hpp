// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Reads counts as Slurm writes them in SLURM_JOB_CPUS_PER_NODE: "4(x3),2" -> 4 4 4 2.
/// Errors: invalid_input.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_slurm_counts(std::string_view text);

/// Writes counts without repeats: "4,4,4,2".
[[nodiscard]] std::string format_counts(const std::vector<std::uint32_t>& counts);

}  // namespace commmap
