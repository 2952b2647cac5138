// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/command.hpp"

namespace commmap::cli {

/// Adds the command `commmap profile import`, which makes a profile from files of another program
/// (Open MPI's monitoring, OTF2, IPM, a matrix, or a list of messages).
void add_profile_import(CLI::App& profile, Context& context);

}  // namespace commmap::cli
