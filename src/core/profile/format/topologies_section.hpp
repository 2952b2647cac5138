// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/process_topology.hpp"

namespace commmap {

// Writes and reads the section of a profile file that holds process topologies (profile_v3.fbs).

void finish_topologies(flatbuffers::FlatBufferBuilder& builder,
                       std::span<const ProcessTopology> topologies);
/// Returns an upper bound of the section's bytes.
[[nodiscard]] std::size_t most_bytes_of(std::span<const ProcessTopology> topologies);

/// Reads the section.
/// @param communicators  of the profile
/// Errors: corrupt.
[[nodiscard]] Result<std::vector<ProcessTopology>> read_topologies(
    const format3::Topologies& in, const std::vector<std::vector<RankId>>& communicators,
    std::size_t num_ranks);

}  // namespace commmap
