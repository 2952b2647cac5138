// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "spank_commmap/slurm/slurm.hpp"

namespace commmap::spank {

/// The host of each rank, in rank order, as the first of two sruns planned it.
using PlannedHosts = std::vector<std::string>;

/// Reads the host file that the first srun left in memory, and closes it.
/// srun itself has read the file by then, and neither tasks nor a nested srun may see it.
/// Errors: those of read_file().
[[nodiscard]] Result<PlannedHosts> take_planned_hosts(int hostfile_fd);

/// Gives srun's epilog, and partly the tasks, the variables that they would see without commmap.
/// @param own_job  srun made the job itself
void show_plain_environment(bool own_job, const PlannedHosts& hosts);

/// Returns whether Slurm placed each rank on its planned host.
[[nodiscard]] bool is_as_planned(const StepLayout& layout, const PlannedHosts& hosts);

}  // namespace commmap::spank
