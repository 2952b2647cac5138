// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "core/calibration/measurements.hpp"
#include "core/calibration/port_fit.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/calibration/switch_fit.hpp"
#include "core/calibration/switch_kind.hpp"
#include "core/topology/editing/link_edit.hpp"

namespace commmap::cli {

/// Numbers of the kinds of ports and switches between some nodes, and where they come from.
struct MeasuredKinds {
    const Cluster& cluster;
    const Allocation& allocation;
    const std::vector<PortKind>& kinds;
    std::vector<MeasuredPort> ports;  ///< one for each kind
    const std::vector<SwitchKind>& switches;
    std::vector<MeasuredSwitch> measured_switches;  ///< one for each kind of switches
    std::string origin;  ///< "2026-11-29, job 1, 8 nodes, Open MPI v4.1.4, payload"
};

/// Tells where measurements come from: their date, job, nodes and MPI.
[[nodiscard]] std::string origin_of(const Measurements& measurements);

/// Writes section `links` of a cluster YAML with the measured numbers. Comments say where they come
/// from, and the spread. A name that several kinds share stands once. A kind whose numbers differ
/// from the first one's by more than 10 % gets a name of its own, which a comment tells. The last
/// lines are comments on switches: their maxima do not stand in that section.
[[nodiscard]] std::string yaml_of_links(const MeasuredKinds& measured);

/// The same numbers as changes of a cluster YAML, with notes for the user.
struct LinkEdits {
    std::vector<LinkEdit> edits;
    std::vector<std::string> notes;  ///< a line each
};
/// Links that lack a measured curve or maximum are left out, which a note tells.
[[nodiscard]] LinkEdits edits_of_links(const MeasuredKinds& measured);

/// Returns the changes that edits_of_links() would make if everything were measured. Their numbers
/// mean nothing: they show before the measuring whether the file can be changed.
[[nodiscard]] std::vector<LinkEdit> possible_edits(const Cluster& cluster,
                                                   const std::vector<PortKind>& kinds);

}  // namespace commmap::cli
