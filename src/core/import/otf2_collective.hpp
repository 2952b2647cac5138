#pragma once

#include <cstdint>

#include "core/profile/profile.hpp"

namespace commmap {

/// What the sizes of an MpiCollectiveEnd count; OTF2 itself does not say.
enum class CollectiveSizes {
    /// Score-P: everything that the rank sends to, and receives from, every member, itself included
    /// where the call is not in place (its sources: scorep_mpi_coll_bytes_*).
    all_members,
    /// EZTrace: count times size of the type, on every rank.
    buffer,
};

/// A rank's call of a collective, as OTF2 has it.
struct CollectiveSeen {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t num_members = 0;  ///< of the communicator
    std::uint64_t position = 0;     ///< of the rank in it
    bool is_root = false;
};

/// The call's bytes as a CollectiveRecord counts them (docs/formats/profile-format.md).
[[nodiscard]] std::uint64_t member_bytes(const CollectiveSeen& seen, CollectiveSizes sizes);

}  // namespace commmap
