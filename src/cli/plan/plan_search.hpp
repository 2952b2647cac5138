// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/plan/planner.hpp"

namespace commmap::cli {

/// Returns what a plan has tried, as text for a later plan that goes on from there. Format: CBOR.
[[nodiscard]] std::string text_of_search(const Plan& plan, unsigned times_continued);

/// Reads such a text; none: the text is wrong. Does not check whether the placements fit the job.
[[nodiscard]] std::optional<EarlierPlan> search_of_text(std::string_view text);

/// Reads such a text for a plan that has more time.
/// The placements get names that no mapper has. So every mapper is tried again, and the placements
/// stay candidates.
[[nodiscard]] std::optional<EarlierPlan> placements_of_text(std::string_view text);

}  // namespace commmap::cli
