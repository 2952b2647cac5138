#pragma once

#include "pmix_hooks/exchange/pmix_library.hpp"

namespace commmap::hooks {

/// Waits for all ranks of the job, like the fence in MPI_Finalize. A rank that has died does not
/// hold it up: PMIx takes it out. One PMIx fence without data; MPI goes on delivering meanwhile.
/// False: PMIx refused, or its own time limit (Slurm: PMIxTimeout, 300 s) has passed.
[[nodiscard]] bool all_came(const PmixLibrary& pmix) noexcept;

/// Brings the keys committed so far to the server of every node: one PMIx fence with data. Where
/// all ranks come at once: with Slurm's own mpi.conf a node that loses a rank meanwhile joins
/// another kind of fence than the rest (pmixp_client.c, pmixp_lib_fence: a tree where there is no
/// data, else a ring), and all wait for its timeout.
[[nodiscard]] bool exchange_keys(const PmixLibrary& pmix) noexcept;

}  // namespace commmap::hooks
