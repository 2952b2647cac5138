// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/ids.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// What a channel lets through of streams of a check, by the file's numbers.
/// @return  bytes per second; infinity when the file has none
[[nodiscard]] double stream_rate(const Channel& channel);

/// The same of a stream between two nodes: that of the slowest port on its way.
[[nodiscard]] double stream_rate(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                                 NodeId receiver);

}  // namespace commmap
