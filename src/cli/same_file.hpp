// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace commmap::cli {

/// Returns whether writing one file would replace the other, or write into it. Symbolic links are
/// followed, also to where nothing is yet.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);

}  // namespace commmap::cli
