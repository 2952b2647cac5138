// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap {

/// The lowest number of Slurm's special steps. Steps that srun makes are numbered from 0; the batch
/// script, an interactive shell and processes outside of any step have numbers from this one up
/// (SLURM_MAX_NORMAL_STEP_ID).
inline constexpr std::uint32_t first_special_step = 0xfffffff0;

[[nodiscard]] constexpr bool is_normal_step(std::uint64_t step) {
    return step < first_special_step;
}

}  // namespace commmap
