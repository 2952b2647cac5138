#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// expand_hostlist() for text that nobody has checked: names are at most 255 characters long
/// (HOST_NAME_MAX is 64) with at most 8 brackets, so that a short text cannot ask for terabytes.
/// Errors: invalid_input.
[[nodiscard]] Result<std::vector<std::string>> expand_node_names(std::string_view text);

/// Names of equal siblings, short: m0 m1 m2 x7 -> "m[0-2],x7"; the inverse of expand_hostlist().
[[nodiscard]] std::string fold_names(const std::vector<std::string>& names);

}  // namespace commmap
