// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/calibration/check/check_judge.hpp"

namespace commmap::cli {

/// The result of a check.
struct CheckReport {
    std::size_t num_nodes = 0;    ///< that were measured, as CheckValues::count_nodes()
    std::size_t num_uplinks = 0;  ///< as CheckValues::count_uplinks()
    double seconds = 0.0;
    bool complete = false;  ///< all that was planned was measured
    std::vector<Outlier> outliers;
    std::vector<std::string> not_tested;
};

/// Lists what the check could not test, as sentences without a full stop.
[[nodiscard]] std::vector<std::string> not_tested(
    const Cluster& cluster, const Allocation& allocation, const CheckPlan& plan,
    const References& references, const Suspects& suspects, const CheckPlan& second);

/// Describes a series: "ports: m0>m1 m2>m3"; with many streams their number.
[[nodiscard]] std::string describe_series(const CheckSeries& series, const Allocation& allocation);

/// Describes the first measurement: its series, what is not tested, and its duration.
[[nodiscard]] std::string describe_check(const CheckPlan& plan, const Allocation& allocation);

/// Writes a line for each outlier and for what was not tested. The last line sums up.
[[nodiscard]] std::string text_of_check(const Cluster& cluster, const Allocation& allocation,
                                        const CheckReport& report);

/// Writes the report as JSON (docs/admin/check.md has the keys), with a line end.
[[nodiscard]] std::string json_of_check(const Cluster& cluster, const Allocation& allocation,
                                        const CheckReport& report);

}  // namespace commmap::cli
