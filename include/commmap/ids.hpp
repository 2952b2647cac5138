// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap {

/// A rank in MPI_COMM_WORLD, from 0.
using RankId = std::uint32_t;
/// A PU (processing unit: a hardware thread). PUs are the leaves of a machine's tree, numbered from
/// 0 from left to right.
using PuId = std::uint32_t;
/// An element of a job's hardware tree: a PU, or anything above it. The root is 0.
using ElementId = std::uint32_t;
/// A node of a job, numbered from 0 in the order of the job's node list.
using NodeId = std::uint32_t;

/// Stands for "none" in a field of any of these types.
inline constexpr std::uint32_t no_id = UINT32_MAX;

}  // namespace commmap
