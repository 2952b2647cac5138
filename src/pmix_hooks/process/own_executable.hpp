#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap::hooks {

/// The application id that inspect_executable() gives for the program of this process. The build id
/// comes from the program's own loaded notes, so that libelf need not come into the user's process.
[[nodiscard]] Result<std::string> own_application_id();

/// Path of the program of this process, empty when the system does not tell.
[[nodiscard]] std::string own_path();

}  // namespace commmap::hooks
