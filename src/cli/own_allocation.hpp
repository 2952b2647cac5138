// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commmap/result.hpp"

namespace commmap::cli {

/// The job that `commmap calibrate -N` asks for: whole nodes, which nobody else uses meanwhile.
struct AllocationRequest {
    std::uint32_t num_nodes = 0;  ///< 0: no job is asked for
    std::string partition;        ///< as the others: empty for Slurm's default
    std::string account;
    std::string qos;
    std::string time;
    std::string nodelist;
};

/// Becomes salloc, which runs this program with these arguments in the job. Returns only on error.
///
/// Slurm's variables of another job or step would be read by the steps of the new job. So all that
/// begin with SLURM_ are removed, but for those that say where Slurm is. Variables of salloc
/// (SALLOC_*) stay: these are the user's.
/// Errors: invalid_input inside of a job; not_found or io when salloc cannot be started.
[[nodiscard]] Status run_in_own_allocation(const AllocationRequest& request,
                                           const std::vector<std::string>& arguments);

}  // namespace commmap::cli
