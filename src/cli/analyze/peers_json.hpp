// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "cli/analyze/peers_analysis.hpp"

namespace commmap::cli {

/// Returns the whole analysis as one JSON object, with a line end. docs/user/peers.md has the keys.
[[nodiscard]] std::string peers_json(const PeersAnalysis& analysis);

}  // namespace commmap::cli
