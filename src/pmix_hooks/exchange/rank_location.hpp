// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "commmap/ids.hpp"

namespace commmap::hooks {

/// The place where this process runs. Its texts are fixed arrays, for MPI_Init asks for it without
/// the heap.
struct RankLocation {
    char node[256] = "";
    std::uint32_t node_id = no_id;  ///< the launcher's number of the node
    char cpus[4096] = "";           ///< Linux list format, cut at a comma when the list is too long
    /// NUMA nodes and packages of `cpus`, in the format of PMIX_LOCALITY_STRING: "NM0:SK0".
    char locality[64] = "";
};

/// Finds the place where this process runs. Sources:
/// - node name and number: PMIx, where this process has the values; else the name from gethostname;
/// - CPUs: sched_getaffinity of the calling thread;
/// - locality of these CPUs: /sys. PMIx has at most the locality at launch, and a question for a
///   missing value goes to the server.
[[nodiscard]] RankLocation find_rank_location() noexcept;

}  // namespace commmap::hooks
