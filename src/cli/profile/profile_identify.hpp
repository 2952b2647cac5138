// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/command.hpp"

namespace commmap::cli {

/// Adds `identify` to the sub-command `profile`.
void add_profile_identify(CLI::App& profile, Context& context);

}  // namespace commmap::cli
