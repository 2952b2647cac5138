// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_import.hpp"

namespace commmap::cli {

/// Replaces profile_import.cpp in a build without import, and says so to the user.
void add_profile_import(CLI::App& profile, Context& context) {
    CLI::App* command = profile.add_subcommand("import", "left out of this build of commmap");
    command->allow_extras();
    command->callback([&context] {
        context.action = [] {
            return Status(Error{Errc::not_supported,
                                "profile import is left out of this build: configure it with "
                                "-DCOMMMAP_IMPORT=ON, which needs OTF2 and pugixml, or import with "
                                "another commmap and copy the profile"});
        };
    });
}

}  // namespace commmap::cli
