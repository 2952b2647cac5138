#pragma once

#include <cstdint>

#include "core/base/ids.hpp"

namespace commmap::hooks {

/// Where this process runs. Fixed arrays: it is asked for during MPI_Init, without the heap.
struct Place {
    char node[256] = "";
    std::uint32_t node_id = no_id;  ///< the launcher's number of the node
    char cpus[4096] = "";           ///< Linux list format, cut at a comma when there are too many
};

/// Node name and number from PMIx where the process has it, else the name from gethostname; CPUs
/// from sched_getaffinity of the calling thread.
[[nodiscard]] Place find_place() noexcept;

}  // namespace commmap::hooks
