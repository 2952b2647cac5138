#pragma once

#include <string>

#include "core/base/readers.hpp"
#include "core/base/result.hpp"
#include "pmix_hooks/gather.hpp"

namespace commmap::hooks {

/// Where profiles go, by the environment: COMMMAP_PROFILE_DIR, which must be absolute, else the
/// user's cache. Errors: invalid_input, not_found.
[[nodiscard]] Result<std::string> profile_directory();
/// COMMMAP_PROFILE_READERS: who may read what is kept there.
[[nodiscard]] Readers profile_readers();
/// The program, for people.
[[nodiscard]] std::string recorded_command();
/// First line of MPI_Get_library_version.
[[nodiscard]] std::string mpi_library();

/// On rank 0: merges the reports of all ranks and writes the profile to the store that the
/// environment names. The value is the line for COMMMAP_VERBOSE=1.
[[nodiscard]] Result<std::string> write_profile(Gathered gathered);

}  // namespace commmap::hooks
