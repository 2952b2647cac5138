#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// What a file for another launcher is made of.
struct PlacedJob {
    const Hct& hct;
    Placement placement;  ///< PU of each rank
    Placement slurms;     ///< PU of each task where Slurm puts it; the same PUs in another order
    std::uint32_t cpus_per_task = 1;
};

/// One launcher's file. docs/user/machine-files.md has the commands, and which of them have been
/// run.
struct MachineFileFormat {
    std::string_view name;
    std::string_view launcher;
    Result<std::string> (*write)(const PlacedJob& job);
};

[[nodiscard]] std::span<const MachineFileFormat> machine_file_table();

/// Open MPI 4 and 5: "rank 0=m0 slot=2-3", PUs in hwloc's logical order; read with
/// --use-hwthread-cpus (5: the modifier HWTCPUS), since counting cores Open MPI 5 refuses two ranks
/// on one. A rank has the PUs of its core that no other rank has, and from its own on as many as
/// cpus_per_task, if they are free.
[[nodiscard]] Result<std::string> open_mpi_pu_rankfile(const PlacedJob& job);

/// "m0:2" = so many ranks in a row on this host; a host comes again when its turn comes again.
/// Hydra of MPICH and Intel MPI.
[[nodiscard]] Result<std::string> host_counts(const PlacedJob& job);

/// The node of each rank, "3,0,3,0": mpiexec -rankmap of MPICH, in the node list of the allocation.
/// invalid_input when a node has no rank: Hydra then numbers the nodes anew.
/// Source: MPICH 5.0.2, src/pm/hydra, `mpiexec -rankmap -help`; run.
[[nodiscard]] Result<std::string> mpich_rankmap(const PlacedJob& job);

/// MPICH_RANK_ORDER of HPE Cray MPICH, for MPICH_RANK_REORDER_METHOD=3: the k-th number is the rank
/// that runs where Slurm's task k is; "4-7" is four of them; a line per node.
/// Source: grid_order(1) and intro_mpi(3) of the HPE Cray Programming Environment; not run.
[[nodiscard]] Result<std::string> mpich_rank_order(const PlacedJob& job);

}  // namespace commmap
