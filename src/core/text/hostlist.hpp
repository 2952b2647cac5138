// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Expands a Slurm hostlist: "n[001-003,7],login" -> n001 n002 n003 n7 login. With several brackets
/// in one name, the last one runs fastest. Leading zeros, order and duplicates stay as written.
/// Errors: invalid_input for an unclosed bracket, a reversed or non-numeric range, an empty name,
/// more than 2^20 names, or more than 2^25 letters in all names together.
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text);

}  // namespace commmap
