// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/plan/planner.hpp"

namespace commmap {

/// A placement that the planner may choose, with the name of the method that made it.
struct NamedPlacement {
    std::string name;
    std::vector<PuId> pu_of_rank;
    bool linear_instead = false;  ///< see Mapping
};

/// Receives candidates, one after another, as they are found.
class CandidateSink {
public:
    CandidateSink() = default;
    CandidateSink(const CandidateSink&) = delete;
    CandidateSink& operator=(const CandidateSink&) = delete;
    virtual ~CandidateSink() = default;

    /// Takes one candidate. Errors: the placement does not fit the job.
    virtual Status take(NamedPlacement placement) = 0;
    /// Takes a note for the user, one line.
    virtual void note(const std::string& text) = 0;
    /// Takes the reason why the method `name` has no candidate.
    virtual void leave_out(std::string_view name, const Error& error) = 0;
};

/// Finds the candidates of a plan that keeps a part of Slurm's layout (options.keep is not none).
///
/// - LayoutConstraint::blocks: one candidate for each mapper, applied to whole blocks of ranks.
///   Then "block_swaps": the cheapest of these and of Slurm's own placement, refined by swaps of
///   blocks. Then "bound": the same with other CPUs inside the nodes.
/// - LayoutConstraint::order: only "bound", which is Slurm's own placement with other CPUs inside
///   the nodes.
///
/// @param time     how the run time grows with the parts of scenario.run
/// @param earlier  candidates of an earlier plan for the same scenario; they are handed over again
///                 instead of being searched for again
/// @param sink     receives the candidates
/// A method is left out when options.deadline has passed, or when the method fails or throws. A
/// running search ends at the deadline.
/// Errors: invalid_input when blocks are to be kept and Slurm's layout is not in blocks.
[[nodiscard]] Status candidate_placements(const Scenario& scenario, const RunTime& time,
                                          const PlannerOptions& options, const EarlierPlan& earlier,
                                          CandidateSink& sink);

}  // namespace commmap
