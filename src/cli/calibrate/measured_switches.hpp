// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "cli/calibrate/measured_links.hpp"
#include "core/topology/editing/link_edit.hpp"

namespace commmap::cli {

/// Tells what was measured of each kind of switches, a line each: "switch 's0': m0>m2 m1>m3 get
/// 15.5 MB/s together (spread 1.2 %), one alone 11.9 MB/s (spread 0.3 %): the switch is the limit".
/// A kind that was not measured says why.
[[nodiscard]] std::vector<std::string> lines_of_switches(const MeasuredKinds& measured);

/// The measured maxima of switches as changes of a cluster YAML, with notes for the user.
struct SwitchEdits {
    std::vector<SwitchEdit> edits;
    std::vector<std::string> notes;  ///< a line each
};
/// Returns a change for each switch of a kind that limits its pairs. A note tells where the file
/// has a maximum that the pairs exceed by more than 10 %, though the switch is not their limit.
[[nodiscard]] SwitchEdits edits_of_switches(const MeasuredKinds& measured);

}  // namespace commmap::cli
