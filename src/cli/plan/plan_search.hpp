#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/plan/planner.hpp"

namespace commmap::cli {

/// What a plan tried, as it is kept for the plan that goes on from there. Format: CBOR.
[[nodiscard]] std::string text_of_search(const Plan& plan, unsigned times_continued);

/// The same, read; none: it is no such text. Whether the placements fit the job is not looked at.
[[nodiscard]] std::optional<EarlierPlan> search_of_text(std::string_view text);

/// The same for a plan that has more time: under names that no mapper has, so that everything is
/// tried again, and what was found stays a candidate.
[[nodiscard]] std::optional<EarlierPlan> placements_of_text(std::string_view text);

}  // namespace commmap::cli
