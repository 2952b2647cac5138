// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "commmap/result.hpp"
#include "core/calibration/port_kind.hpp"

namespace commmap {

/// Most pairs of CPUs that stand for a level inside a node. Fewer would not fill the path between
/// two packages.
inline constexpr std::uint32_t max_pairs_inside = 64;

/// Finds the kinds of ports inside the nodes of an allocation: by class in the order of the file,
/// from packages down to PUs. Kinds have Owner::inside. The first node of a class in the allocation
/// stands for all.
///
/// A level is measured between two siblings, those with the most PUs below the smaller one. A level
/// of single PUs is measured between one PU and up to four siblings. The first of equals wins. One
/// PU of each core sends before the second PUs of cores do. A level without siblings is no kind.
/// - Nothing is measured of a level that stands at several depths of a node: its elements have one
///   port in the file.
/// - Nor of several levels of a synthetic topology without `indexes=`: its CPU numbers are guesses.
///
/// Errors: not_found when a node of the allocation is not in the cluster; invalid_input when the
/// allocation names a node twice.
/// Cost: O(nodes of the allocation + elements of its classes * depth of their trees).
[[nodiscard]] Result<std::vector<PortKind>> find_inside_kinds(const Cluster& cluster,
                                                              const Allocation& allocation);

}  // namespace commmap
