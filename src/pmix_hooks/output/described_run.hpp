#pragma once

#include <string>

#include "commmap/result.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// Where profiles go, by the environment: COMMMAP_PROFILE_DIR, which must be absolute, else the
/// user's cache. Errors: invalid_input, not_found.
[[nodiscard]] Result<std::string> profile_directory();
/// The program, for people.
[[nodiscard]] std::string recorded_command();

/// Puts what the environment and the MPI library say of the run into the record's head, for who
/// reads the record when this process is gone. What there is no memory for stays empty.
void describe_run(RecordHead& head) noexcept;

}  // namespace commmap::hooks
