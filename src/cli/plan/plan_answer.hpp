// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/job_arguments.hpp"
#include "cli/plan/launch_history.hpp"
#include "cli/plan/launch_report.hpp"
#include "core/plan/plan_cache.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

struct PlanArguments {
    JobArguments job;
    bool verbose = false;
    std::string report;      ///< file for the launch's report; empty: none
    std::string left_alone;  ///< what the plugin leaves to Slurm whatever the plan is
    double budget_s = 0.0;   ///< time limit; 0: none
};

/// An answer with its part of the launch report, and the data that the store of plans needs.
struct PlanAnswer {
    std::string text;
    LaunchReport report;
    bool worth_keeping = false;
    KeptPlan kept = {};  ///< its answer holds the text, and the report if one was asked for
};

/// Returns the text and the report of a kept plan; none: the kept plan holds no answer.
[[nodiscard]] std::optional<PlanAnswer> answer_of(const KeptPlan& kept);

/// Settings of the work on an answer.
struct PlanWork {
    /// Called once, when everything has been read and the search begins.
    std::function<Deadline()> begin = [] { return Deadline(); };
    unsigned threads = 0;  ///< 0: as the options say
    /// Facts from earlier runs, and data for the record of this run; nullptr: neither is known, and
    /// no record is kept.
    const LaunchHistory* history = nullptr;
    /// Result of an unfinished plan; nullptr: the search begins anew.
    const EarlierPlan* earlier = nullptr;
    /// These two go into the kept plan when the deadline cuts the plan short.
    unsigned launches_left = PlanCache::most_launches;
    std::uint64_t cut_short_at_ms = 0;
    /// Called whenever a placement is better than those before, with the answer so far.
    /// `kept` returns the plan to keep with this answer; none: it is too large, or must not be
    /// kept.
    /// Must not throw. Empty: not needed.
    std::function<void(const std::string& text,
                       const std::function<std::optional<KeptPlan>()>& kept)>
        on_better = {};
};

/// Plans, and returns the answer. Every failure is an answer too (decision decline), for the job
/// must start.
[[nodiscard]] PlanAnswer work_out(const PlanArguments& arguments, const Options& options,
                                  const Result<ProfileChoice>& choice, const PlanWork& work);

/// Returns the answer for a plan that had no time even for Slurm's own placement.
[[nodiscard]] std::string too_late();

}  // namespace commmap::cli
