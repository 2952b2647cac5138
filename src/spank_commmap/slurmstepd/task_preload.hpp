#pragma once

#include <slurm/spank.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace commmap::spank {

// What the dynamic linker loads before a task's program (LD_PRELOAD).

/// Puts the libraries in front of what the task preloads already; the first of them is the first of
/// all. Lets gcc's AddressSanitizer accept that.
void preload(spank_t spank, const std::vector<std::string>& libraries);

/// Takes libraries of those file names away, which a step inside a step has of the outer one.
void forget_preloaded(spank_t spank, std::initializer_list<const char*> files);

/// Takes back what preload() told AddressSanitizer.
void forget_link_order(spank_t spank);

/// Where the recorder's libraries and the clock's are.
[[nodiscard]] std::string directory_of_hooks(const Options& options);

}  // namespace commmap::spank
