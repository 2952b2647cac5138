// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/command.hpp"

namespace commmap::cli {

/// Adds the command `commmap profile identify`, which prints the identity of the program's profile
/// that a launch would take. The command ends with 1 where there is none.
void add_profile_identify(CLI::App& profile, Context& context);

}  // namespace commmap::cli
