// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap::measure {

/// Lets this process run on one CPU alone: the one that stands in a list at the number that Slurm
/// gave this task of its node (SLURM_LOCALID). To be called before MPI_Init, so that memory of the
/// MPI library lies near that CPU, and after it, because an MPI may bind ranks itself.
/// @param cpus  numbers of the operating system, "0,4,5"; empty: the process runs where it did
/// @return  the CPU; nullopt for an empty list
/// Errors: invalid_input when the list has no number for this task, or the CPU is not for this
/// process.
[[nodiscard]] Result<std::optional<std::uint32_t>> run_on_own_cpu(std::string_view cpus);

}  // namespace commmap::measure
