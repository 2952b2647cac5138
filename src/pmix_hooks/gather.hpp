#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace commmap::hooks {

/// What one process has when gather_to_root() is done.
struct Gathered {
    bool complete = false;             ///< on rank 0: every rank's bytes are here
    std::vector<std::string> reports;  ///< on rank 0: in no particular order
};

/// Brings the bytes of every rank to rank 0 along a binomial tree: ceil(log2 P) steps, each a
/// message with the length in 64 bits and as many of at most `chunk_bytes` (<= INT_MAX) as it
/// takes. Collective over `comm`, which carries nothing else and has MPI_ERRORS_RETURN. A rank that
/// fails (no memory, an MPI error) still answers its parent, so that nobody waits for it; rank 0
/// then has complete == false.
[[nodiscard]] Gathered gather_to_root(MPI_Comm comm, int rank, int size, const std::string& mine,
                                      std::size_t chunk_bytes = std::size_t{1} << 28) noexcept;

}  // namespace commmap::hooks
