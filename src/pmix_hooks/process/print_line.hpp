// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace commmap::hooks {

/// Writes `message` and `rest` as one line of commmap to stderr, in one write. Allocates nothing.
void print_line(std::string_view message, std::string_view rest = {}) noexcept;

}  // namespace commmap::hooks
