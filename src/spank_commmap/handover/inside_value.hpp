// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap::spank {

/// What runs inside the tasks of a launch, as srun hands it to them:
/// "1[,verbose]:<inside::Choices>".
/// The number is the version of the text behind it.
struct InsideValue {
    bool verbose = false;
    std::string rules;
};

/// Variable with such a value. A node whose commmap does not know the variable leaves it alone, and
/// binds the tasks as ever.
inline constexpr const char* inside_variable = "SLURM_COMMMAP_INSIDE";

[[nodiscard]] std::string format_inside_value(const InsideValue& value);
/// Splits such a value. Leaves its rules unparsed: the library in the task parses them.
/// Errors: invalid_input when the text is no such value, not_supported when the value is another
/// version's.
[[nodiscard]] Result<InsideValue> parse_inside_value(std::string_view value);

}  // namespace commmap::spank
