#pragma once

#include <cstdint>

namespace commmap {

/// Slurm numbers the steps that srun makes from 0. The batch script, an interactive shell and what
/// is outside of any step have the numbers from this one up (SLURM_MAX_NORMAL_STEP_ID).
inline constexpr std::uint32_t first_special_step = 0xfffffff0;

[[nodiscard]] constexpr bool is_normal_step(std::uint64_t step) {
    return step < first_special_step;
}

}  // namespace commmap
