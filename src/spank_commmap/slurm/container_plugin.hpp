// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap::spank {

/// Returns whether pyxis stands behind this plugin in plugstack.conf.
/// pyxis then takes a task into its container after this plugin has looked at the task
/// (slurm_spank_task_init of both).
/// Slurm loads plugins in the order in which they run, and the dynamic linker lists them in that
/// order.
[[nodiscard]] bool container_plugin_is_behind() noexcept;

}  // namespace commmap::spank
