#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/history/program_history.hpp"

namespace commmap {

/// Of the file of one program and number of ranks: 32 groups of five times 64 runs are 0.9 MB.
inline constexpr std::size_t most_history_bytes = std::size_t{4} << 20;

[[nodiscard]] std::string encode_history(const ProgramHistory& history);

/// What a file holds is what may be added: lists that are too long, or runs that make no sense, are
/// a damaged file. Errors: not_supported (another version), corrupt. Cost: O(size).
[[nodiscard]] Result<ProgramHistory> decode_history(std::string_view content);

}  // namespace commmap
