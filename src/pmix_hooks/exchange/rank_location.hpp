#pragma once

#include <cstdint>

#include "commmap/ids.hpp"

namespace commmap::hooks {

/// Where this process runs. Fixed arrays: it is asked for during MPI_Init, without the heap.
struct RankLocation {
    char node[256] = "";
    std::uint32_t node_id = no_id;  ///< the launcher's number of the node
    char cpus[4096] = "";           ///< Linux list format, cut at a comma when there are too many
    /// Where in the node it may run, in the words of PMIX_LOCALITY_STRING: "NM0:SK0".
    char locality[64] = "";
};

/// Node name and number from PMIx where the process has it, else the name from gethostname; CPUs
/// from sched_getaffinity of the calling thread; locality of those from /sys: PMIx has it of the
/// launch, if at all, and asking for what it has not is a question to the server.
[[nodiscard]] RankLocation find_rank_location() noexcept;

}  // namespace commmap::hooks
