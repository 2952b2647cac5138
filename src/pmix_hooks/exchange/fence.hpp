// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "pmix_hooks/exchange/pmix_library.hpp"

namespace commmap::hooks {

/// Waits for all ranks of the job, like the fence in MPI_Finalize. Uses one PMIx fence without
/// data.
/// A rank that has died does not hold up the others: PMIx takes the dead rank out of the fence.
/// MPI goes on delivering messages meanwhile.
/// Errors: returns false when PMIx refuses or PMIx's own time limit passes (Slurm: PMIxTimeout, 300
/// s).
[[nodiscard]] bool all_came(const PmixLibrary& pmix) noexcept;

/// Brings the keys committed so far to the PMIx server of every node. Uses one PMIx fence with
/// data.
/// Precondition: all ranks come to this fence at about the same time, none dies on the way.
/// With Slurm's default mpi.conf, a node that loses a rank meanwhile joins another kind of fence
/// than the other nodes.
/// (Slurm's pmixp_client.c, pmixp_lib_fence: a tree where there is no data, else a ring.)
/// All nodes then wait for the time limit of the fence.
[[nodiscard]] bool exchange_keys(const PmixLibrary& pmix) noexcept;

}  // namespace commmap::hooks
