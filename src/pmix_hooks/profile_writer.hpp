#pragma once

#include <string>

#include "core/base/result.hpp"
#include "pmix_hooks/gather.hpp"

namespace commmap::hooks {

/// On rank 0: merges the reports of all ranks and writes the profile to the store that the
/// environment names. The value is the line for COMMMAP_VERBOSE=1.
[[nodiscard]] Result<std::string> write_profile(Gathered gathered);

}  // namespace commmap::hooks
