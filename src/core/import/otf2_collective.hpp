// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/profile/profile.hpp"

namespace commmap {

/// What the sizes of an MpiCollectiveEnd count, which OTF2 itself does not define.
enum class CollectiveSizes {
    /// Score-P: all bytes that the rank sends to, and receives from, every member, itself included
    /// unless the call is in place. Source: Score-P's scorep_mpi_coll_bytes_*.
    all_members,
    /// EZTrace: count times size of the type, on every rank.
    buffer,
};

/// A call of a collective by one rank, as OTF2 describes it.
struct CollectiveSeen {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t num_members = 0;  ///< of the communicator
    std::uint64_t position = 0;     ///< rank in the communicator
    bool is_root = false;
};

/// Returns the payload of the call, as a CollectiveRecord counts it
/// (docs/formats/profile-format.md).
[[nodiscard]] std::uint64_t member_bytes(const CollectiveSeen& seen, CollectiveSizes sizes);

}  // namespace commmap
