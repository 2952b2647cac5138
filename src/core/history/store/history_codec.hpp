// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/history/program_history.hpp"

namespace commmap {

/// The largest history file (one program on one number of ranks). 32 groups of five times 64 runs
/// are 0.9 MB.
inline constexpr std::size_t most_history_bytes = std::size_t{4} << 20;

[[nodiscard]] std::string encode_history(const ProgramHistory& history);

/// Decodes a history file. Lists that are too long, and runs that make no sense, count as damage.
/// Errors: not_supported for another version; corrupt.
/// Cost: O(size).
[[nodiscard]] Result<ProgramHistory> decode_history(std::string_view content);

}  // namespace commmap
