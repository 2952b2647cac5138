// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "cli/analyze/peers_analysis.hpp"

namespace commmap::cli {

/// Returns the analysis for a person: figures, and a table of coverage. Lines end with line ends.
[[nodiscard]] std::string peers_text(const PeersAnalysis& analysis);

/// Returns the priority matrix as CSV with a header: phase, sender, receiver, messages, and whether
/// the schedule has the connection (1 or 0). With another schedule a sixth column tells whether
/// that one has it.
[[nodiscard]] std::string peers_csv(const PeersAnalysis& analysis);

}  // namespace commmap::cli
