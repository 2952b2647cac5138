// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace commmap::spank {

// These functions change what the dynamic linker loads before a task's program (LD_PRELOAD).

/// Puts libraries in front of the task's LD_PRELOAD, in the given order. Lets gcc's
/// AddressSanitizer accept that.
void preload(spank_t spank, const std::vector<std::string>& libraries);

/// Removes libraries of those file names, which a step inside a step has from the outer one.
void forget_preloaded(spank_t spank, std::initializer_list<const char*> files);

/// Takes back preload()'s setting for AddressSanitizer.
void forget_link_order(spank_t spank);

/// Returns the directory of the libraries for tasks.
[[nodiscard]] std::string directory_of_hooks(const Options& options);

}  // namespace commmap::spank
