// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/command.hpp"

namespace commmap::cli {

/// Adds `import` to the sub-command `profile`.
void add_profile_import(CLI::App& profile, Context& context);

}  // namespace commmap::cli
