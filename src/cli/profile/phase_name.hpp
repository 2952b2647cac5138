// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "core/text/one_line.hpp"

namespace commmap::cli {

/// Returns what commands call a phase: its number if phases were found from time slices, else its
/// label, in one line. The parts of a run without a label are "(outside)".
inline std::string phase_name(bool from_slices, std::size_t number, const std::string& label) {
    if (from_slices) return std::to_string(number);
    return label.empty() ? "(outside)" : one_line(label);
}

}  // namespace commmap::cli
