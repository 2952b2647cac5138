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

}  // namespace commmap::cli
