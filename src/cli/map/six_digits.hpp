// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace commmap::cli {

/// Writes a number with six significant digits: 1234567 -> "1.23457e+06", 0.5 -> "0.5".
[[nodiscard]] inline std::string six_digits(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return text.data();
}

}  // namespace commmap::cli
