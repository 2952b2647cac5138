// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "commmap/result.hpp"
#include "core/cpus/task_cpus.hpp"

namespace commmap::spank {

/// Binds the calling thread to the task's CPUs, and checks the binding.
///
/// @param node         all CPUs of the machine
/// @param slurm_masks  SLURM_CPU_BIND_LIST where it lists masks, else empty
/// @param task         one task of the step
/// Errors: those of cpus_of_task(); io (the system refused). The old binding stays.
[[nodiscard]] Status bind_task(const NodeCpus& node, std::string_view slurm_masks,
                               const TaskOfNode& task);

}  // namespace commmap::spank
