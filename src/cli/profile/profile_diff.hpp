#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap::cli {

/// A bound on how much a figure may change: "bytes>+10%", "messages<-5%", "mpi-time>+0.5%".
struct ChangeLimit {
    std::string text;  ///< as it was given
    std::string figure;
    bool above = true;  ///< exceeded by more growth, else by less
    double percent = 0.0;
};
/// Errors: invalid_input; names the nearest known figure.
[[nodiscard]] Result<ChangeLimit> parse_change_limit(const std::string& text);

struct ProfileDiff {
    std::string text;                   ///< figures, phases and pairs that differ most
    std::vector<std::string> exceeded;  ///< a line for each limit that is
};
/// What changed from one profile to another, of as many ranks or not. Cost: O(cells log cells).
[[nodiscard]] ProfileDiff diff_profiles(const Profile& before, const Profile& after,
                                        const std::vector<ChangeLimit>& limits);

}  // namespace commmap::cli
