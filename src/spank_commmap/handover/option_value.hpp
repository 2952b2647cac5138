// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/config/options.hpp"

namespace commmap::spank {

/// Value of --commmap that the tasks of a re-executed srun get: "placed1[,verbose]:<CpuSetTable>".
/// The number is the version of the text behind it. An empty table means: the order is set, and the
/// CPUs are left to Slurm.
/// Users never type this value.
struct PlacedValue {
    bool verbose = false;
    std::string cpu_sets;
};

/// Variable that tells the tasks which mode counts, where that is not the option's mode.
inline constexpr const char* mode_variable = "SLURM_COMMMAP_MODE";
/// Variable that hands such a value to the tasks of a srun that is not started again.
inline constexpr const char* placed_variable = "SLURM_COMMMAP_PLACED";
/// Variable that tells the tasks the file in which rank 0 leaves its time (history=mpi).
inline constexpr const char* clock_variable = "SLURM_COMMMAP_CLOCK";

/// Returns whether a text is such a value, of any version. A node may have another commmap than
/// srun while a cluster is upgraded.
[[nodiscard]] bool is_placed_value(std::string_view value);
[[nodiscard]] std::string format_placed_value(const PlacedValue& value);
/// Splits such a value. Leaves its table unparsed: the task parses the table as the user.
/// Errors: invalid_input when the text is no such value, not_supported when the value is another
/// version's.
[[nodiscard]] Result<PlacedValue> parse_placed_value(std::string_view value);

}  // namespace commmap::spank
