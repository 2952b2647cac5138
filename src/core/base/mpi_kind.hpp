// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap {

/// The ABI of an MPI library, as far as the recorder knows it: Open MPI, or MPICH and its
/// ABI-compatible libraries (Intel MPI, MVAPICH, Cray MPICH).
enum class MpiKind : unsigned char { unknown, open_mpi, mpich };

}  // namespace commmap
