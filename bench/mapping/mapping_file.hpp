// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commmap::bench {

/// A mapping that was read: the PU of each rank, or in one line why there is none.
struct MappingText {
    std::vector<std::uint64_t> pu_of_rank;
    std::string problem;  ///< empty: pu_of_rank has one PU a line
};

/// Reads one PU number a line, the line of rank 0 first. A last line feed may be missing.
/// Throws InputError when the file cannot be read; what stands in it is in the result.
[[nodiscard]] MappingText read_mapping(const std::string& path);

/// Throws InputError.
void write_mapping(const std::string& path, std::span<const std::uint64_t> pu_of_rank);

}  // namespace commmap::bench
