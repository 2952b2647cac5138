// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/calibration/check/check_judge.hpp"

namespace commmap::cli {

/// What a check found.
struct CheckReport {
    std::size_t num_nodes = 0;    ///< that were measured, as CheckValues::count_nodes()
    std::size_t num_uplinks = 0;  ///< as CheckValues::count_uplinks()
    double seconds = 0.0;
    bool complete = false;  ///< all that was planned was measured
    std::vector<Outlier> outliers;
    std::vector<std::string> not_tested;
};

/// What a check could not test, in sentences without an end.
[[nodiscard]] std::vector<std::string> not_tested(
    const Cluster& cluster, const Allocation& allocation, const CheckPlan& plan,
    const References& references, const Suspects& suspects, const CheckPlan& second);

/// "ports: m0>m1 m2>m3"; of many streams the number.
[[nodiscard]] std::string describe_series(const CheckSeries& series, const Allocation& allocation);

/// The series of the first measurement, a line each, what is not tested, and the duration.
[[nodiscard]] std::string describe_check(const CheckPlan& plan, const Allocation& allocation);

/// A line for each outlier and for what was not tested; the last line sums up.
[[nodiscard]] std::string text_of_check(const Cluster& cluster, const Allocation& allocation,
                                        const CheckReport& report);

/// The same as JSON (docs/admin/calibrate.md), with a line end.
[[nodiscard]] std::string json_of_check(const Cluster& cluster, const Allocation& allocation,
                                        const CheckReport& report);

}  // namespace commmap::cli
