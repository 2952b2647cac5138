// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "peers/peer_program.hpp"

namespace commmap::peers {

/// Leaves one rank on each PU and moves the others to PUs without any, until all have their own.
///
/// Each move is the one that adds least to the hop-bytes, the lowest rank among equals; sums are
/// double. Cost: O((moves^2 + moves * log moves) * degree * height): for a few PUs with too many.
void repair_pus(const PeerProblem& problem, PeerProgram::Mapping& mapping);

}  // namespace commmap::peers
