// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// A writer of another program's format to begin with: lines of "from to bytes".
// This file is compiled with the tests, and registered nowhere.
//
// 1. Copy the function to src/cli/profile/profile_formats.cpp, without its declaration. A long one
//    gets files of its own beside that file, as profile_json.hpp and .cpp are.
// 2. Add a row to `profile_formats` there: ProfileFormat{"lines", "a line for each pair", lines}.
//    The program's option --format and its help are made of that table.
// 3. Add test_export_as_... to tests/cli/test_cli.py: the whole file, worked out by hand. If a
//    package has a program that reads the format, let the program read the file.
// 4. Add a row to the table of exports in docs/formats/profile-format.md, the name to
//    "Options of profile export" in docs/man/commmap.1, and a line to CHANGELOG.md.
//    test_every_format_of_profiles in tests/cli/test_man_pages.py compares the names.
// 5. If `commmap profile import` reads the format too, add the name to
//    test_our_export_is_read_again in tests/cli/test_import.py.
// 6. Look at the result: commmap profile export --format NAME bench/profiles/cg.commmap
#include <fmt/core.h>

#include <string>

#include "cli/profile/profile_formats.hpp"

namespace commmap::cli {

/// Writes one line for each two ranks of which the first sends to the second: both, and the bytes.
///
/// Cost: O(cells of the profile * phases).
std::string lines(const Profile& profile);

std::string lines(const Profile& profile) {
    const TrafficMatrix sent = whole_run(profile).sent;
    std::string text;
    for (RankId from = 0; from < profile.num_ranks(); ++from)
        for (const PeerSum& to : peers_of(sent.sent_by(from)))
            text += fmt::format("{} {} {}\n", from, to.peer, to.bytes);
    return text;
}

// A row of the table takes the function.
static_assert(ProfileFormat{"lines", "a line for each pair", lines}.write == lines);

}  // namespace commmap::cli
