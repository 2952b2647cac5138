// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// A placed job, from which a file for another launcher is written.
struct PlacedJob {
    const Hct& hct;
    Placement placement;  ///< PU of each rank
    Placement slurms;  ///< PU of each task in Slurm's own placement: the same PUs in another order
    std::uint32_t cpus_per_task = 1;
};

/// A format that another launcher reads. docs/user/machine-files.md has the launchers' commands,
/// and says which of them have been run.
struct MachineFileFormat {
    std::string_view name;
    std::string_view launcher;
    Result<std::string> (*write)(const PlacedJob& job);
};

[[nodiscard]] std::span<const MachineFileFormat> machine_file_table();

/// Writes a rankfile of PUs for Open MPI 4 and 5: "rank 0=m0 slot=2-3". PUs are in hwloc's logical
/// order. Open MPI 4 reads the file with --use-hwthread-cpus, Open MPI 5 with the modifier HWTCPUS.
/// A rankfile of cores would not do, because Open MPI 5 refuses two ranks on one core.
/// A rank gets the PUs of its core that no other rank has. With more CPUs a task, it also gets the
/// next PUs that are free, until it has cpus_per_task.
[[nodiscard]] Result<std::string> open_mpi_pu_rankfile(const PlacedJob& job);

/// Writes a host list for Hydra (MPICH and Intel MPI): "m0:2" puts the next two ranks on m0. A host
/// may be listed several times.
[[nodiscard]] Result<std::string> host_counts(const PlacedJob& job);

/// Writes the node of each rank, "3,0,3,0", for mpiexec -rankmap of MPICH. The numbers are places
/// in the allocation's node list.
/// Errors: invalid_input when a node has no rank, because Hydra then numbers the nodes anew.
/// Source: MPICH 5.0.2, src/pm/hydra, `mpiexec -rankmap -help`; tested with that version.
[[nodiscard]] Result<std::string> mpich_rankmap(const PlacedJob& job);

/// Writes MPICH_RANK_ORDER for HPE Cray MPICH with MPICH_RANK_REORDER_METHOD=3. The k-th number is
/// the rank that runs in the place of Slurm's task k. "4-7" stands for four ranks. Each node has a
/// line.
/// Source: grid_order(1) and intro_mpi(3) of the HPE Cray Programming Environment; never run on
/// such a machine.
[[nodiscard]] Result<std::string> mpich_rank_order(const PlacedJob& job);

}  // namespace commmap
