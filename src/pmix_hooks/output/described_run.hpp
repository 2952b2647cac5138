// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// Returns the directory for profiles: COMMMAP_PROFILE_DIR, which must be absolute, else the user's
/// cache.
/// Errors: invalid_input, not_found.
[[nodiscard]] Result<std::string> save_directory();
/// Returns the path of the program, to show to people.
[[nodiscard]] std::string recorded_command();

/// Copies what the environment and the MPI library say about the run into the record's head.
/// A later reader needs these texts when this process is gone. Texts for which there is no memory
/// stay empty.
void describe_run(RecordHead& head) noexcept;

}  // namespace commmap::hooks
