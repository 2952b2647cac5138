// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Expands a hostlist as expand_hostlist() does, from text that nobody has checked. A name has at
/// most 255 characters (HOST_NAME_MAX is 64) and 8 brackets, so that a short text cannot ask for
/// terabytes.
/// Errors: invalid_input.
[[nodiscard]] Result<std::vector<std::string>> expand_node_names(std::string_view text);

/// Writes names in short form: m0 m1 m2 x7 -> "m[0-2],x7". expand_hostlist() reads the result.
[[nodiscard]] std::string joined_names(const std::vector<std::string>& names);

}  // namespace commmap
