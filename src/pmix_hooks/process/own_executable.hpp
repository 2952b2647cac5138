// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap::hooks {

/// Returns the same application id for this process's program as inspect_executable().
/// The build id is read from the program's loaded ELF notes, so that the user's process need not
/// load libelf.
[[nodiscard]] Result<std::string> own_application_id();

/// Returns the path of this process's program; empty when the system does not tell.
[[nodiscard]] std::string own_path();

}  // namespace commmap::hooks
