// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap::cli {

/// A bound on how much a figure may change: "bytes>+10%", "messages<-5%", "mpi-time>+0.5%".
struct ChangeLimit {
    std::string text;  ///< as it was typed
    std::string figure;
    bool above = true;  ///< true: more growth exceeds the limit; false: less growth does
    double percent = 0.0;
};
/// Parses a limit.
/// Errors: invalid_input; the message names the nearest known figure.
[[nodiscard]] Result<ChangeLimit> parse_change_limit(const std::string& text);

struct ProfileDiff {
    std::string text;                   ///< figures, phases and pairs with the largest differences
    std::vector<std::string> exceeded;  ///< a line for each limit that is exceeded
};
/// Compares two profiles, which may have different numbers of ranks. Cost: O(cells log cells).
[[nodiscard]] ProfileDiff diff_profiles(const Profile& before, const Profile& after,
                                        const std::vector<ChangeLimit>& limits);

}  // namespace commmap::cli
