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
    double budget_s = 0.0;   ///< 0: as long as it takes
};

/// An answer, its part of the launch's report, and what the store of plans needs of it.
struct PlanAnswer {
    std::string text;
    LaunchReport report;
    bool worth_keeping = false;
    KeptPlan kept = {};  ///< its answer holds the text, and the report where one was asked for
};

/// The text and the report of a kept plan; none: it holds no answer.
[[nodiscard]] std::optional<PlanAnswer> answer_of(const KeptPlan& kept);

/// How an answer is worked out.
struct PlanWork {
    /// Called once, when everything has been read and the search begins.
    std::function<Deadline()> begin = [] { return Deadline(); };
    unsigned threads = 0;  ///< 0: as the options say
    /// What the record of the run will say; nullptr: none is kept.
    const LaunchHistory* history = nullptr;
    /// What an unfinished plan came to; nullptr: begins anew.
    const EarlierPlan* earlier = nullptr;
    /// Of the kept plan, when the deadline cuts it short.
    unsigned launches_left = PlanCache::most_launches;
    std::uint64_t cut_short_at_ms = 0;
    /// Called whenever a placement is better than those before: the answer for who cannot wait any
    /// longer, and what gives the plan to be kept then; none: it is too large, or not to be kept.
    /// Must not throw. None: not needed.
    std::function<void(const std::string& text,
                       const std::function<std::optional<KeptPlan>()>& kept)>
        on_better = {};
};

/// Plans. Every failure is an answer too (decision decline): the job must start.
[[nodiscard]] PlanAnswer work_out(const PlanArguments& arguments, const Options& options,
                                  const Result<ProfileChoice>& choice, const PlanWork& work);

/// When not even Slurm's own placement has been looked at.
[[nodiscard]] std::string too_late();

}  // namespace commmap::cli
