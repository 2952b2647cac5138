#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/plan/planner.hpp"

namespace commmap {

/// A placement that the planner may choose, and what made it.
struct NamedPlacement {
    std::string name;
    std::vector<PuId> pu_of_rank;
    bool linear_instead = false;  ///< see Mapping
};

/// Who takes candidates, one after another as they are found.
class CandidateSink {
public:
    CandidateSink() = default;
    CandidateSink(const CandidateSink&) = delete;
    CandidateSink& operator=(const CandidateSink&) = delete;
    virtual ~CandidateSink() = default;

    /// Errors: the placement is none.
    virtual Status take(NamedPlacement placement) = 0;
    /// One line for the user.
    virtual void note(const std::string& text) = 0;
    /// `name` has no candidate.
    virtual void leave_out(std::string_view name, const Error& error) = 0;
};

/// What is worth estimating beside Slurm's own placement where something of that is kept
/// (options.keep is not none).
/// blocks: one per mapper of whole blocks, then "block_swaps" (the cheapest
/// of them and of Slurm's own, refined by swaps of blocks), then "bound" (the same, with other CPUs
/// inside the nodes); order: only "bound", Slurm's own with other CPUs inside the nodes.
///
/// @param time  how the run time grows with the parts of scenario.run
///
/// Those of `earlier` are given again and not made anew: placements that fit the scenario.
///
/// What there is no time for (options.deadline) is left out, and a search ends with it. What
/// fails or throws is left out too. Errors: invalid_input when blocks are asked for and Slurm's
/// layout is not in blocks.
[[nodiscard]] Status candidate_placements(const Scenario& scenario, const RunTime& time,
                                          const PlannerOptions& options, const EarlierPlan& earlier,
                                          CandidateSink& sink);

}  // namespace commmap
