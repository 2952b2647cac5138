// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/plan/prediction.hpp"

namespace commmap::cli {

/// Run times of random placements, predicted by their costs. They are a scale for other placements.
///
/// Cost: `count` predictions.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", Sec. 9, which asks where the default lies between the worst and the
/// best.
class RandomPlacements {
public:
    static constexpr std::uint32_t most = 1'000'000;

    /// @param count  1 to `most`
    RandomPlacements(const Scenario& scenario, const Prediction& prediction, std::uint32_t count,
                     std::uint64_t seed);

    /// Returns one line about all placements, then one for each row.
    [[nodiscard]] std::string text(const std::vector<Candidate>& rows) const;
    /// Returns the figures of one row.
    [[nodiscard]] nlohmann::json json(const Candidate& row) const;

private:
    [[nodiscard]] double slower_percent(double time_s) const;

    std::vector<double> times_s_;  ///< ascending
};

}  // namespace commmap::cli
