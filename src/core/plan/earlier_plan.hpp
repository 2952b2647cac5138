// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/ids.hpp"

namespace commmap {

/// What a plan that was cut short has tried, so that a later plan can go on from there.
struct EarlierPlan {
    struct Tried {
        std::string name;  ///< of the candidate
        std::vector<PuId> pu_of_rank;
        bool cut_short = false;
        bool linear_instead = false;
    };
    std::vector<Tried> tried;
    std::vector<std::string> notes;  ///< Plan::notes
    /// how often it was continued before; it changes the random numbers of the next search
    unsigned times_continued = 0;

    /// Finds what was tried by the candidate's name; nullptr: it was not tried.
    [[nodiscard]] const Tried* find(std::string_view name) const;
};

}  // namespace commmap
