#pragma once

namespace commmap {

/// MPI libraries by the ABI that the recorder knows: Open MPI, and MPICH with all that keep its ABI
/// (Intel MPI, MVAPICH, Cray MPICH).
enum class MpiKind : unsigned char { unknown, open_mpi, mpich };

}  // namespace commmap
