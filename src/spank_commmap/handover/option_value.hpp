#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/config/options.hpp"

namespace commmap::spank {

/// The value of --commmap as the tasks of a re-executed srun get it:
/// "placed1[,verbose]:<CpuSetTable>", with the version of what is behind it; an empty table: the
/// order is set, CPUs are left to Slurm. Never typed by a user.
struct PlacedValue {
    bool verbose = false;
    std::string cpu_sets;
};

/// Tells the tasks which mode counts where it is not the option's.
inline constexpr const char* mode_variable = "SLURM_COMMMAP_MODE";
/// Hands such a value to the tasks of a srun that is not started again.
inline constexpr const char* placed_variable = "SLURM_COMMMAP_PLACED";
/// The file in which rank 0 leaves its time (history=mpi), from srun to the tasks.
inline constexpr const char* clock_variable = "SLURM_COMMMAP_CLOCK";

/// Of whatever version: a node may have another commmap than srun while a cluster is upgraded.
[[nodiscard]] bool is_placed_value(std::string_view value);
[[nodiscard]] std::string format_placed_value(const PlacedValue& value);
/// Splits only; the table in it is parsed by the task as the user. Errors: invalid_input when it is
/// no such value, not_supported when it is another version's.
[[nodiscard]] Result<PlacedValue> parse_placed_value(std::string_view value);

}  // namespace commmap::spank
