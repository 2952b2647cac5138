// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/machine_files.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <vector>

#include "core/plan/launch_formats.hpp"
#include "core/text/ranges.hpp"

namespace commmap {
namespace {

Result<std::string> hostfile(const PlacedJob& job) {
    return slurm_hostfile(job.hct, job.placement);
}

Result<std::string> rankfile(const PlacedJob& job) {
    return open_mpi_rankfile(job.hct, job.placement);
}

constexpr std::array table{
    MachineFileFormat{"hostfile", "srun, SLURM_HOSTFILE", hostfile},
    MachineFileFormat{"rankfile", "Open MPI, by cores", rankfile},
    MachineFileFormat{"openmpi4", "Open MPI 4", open_mpi_pu_rankfile},
    MachineFileFormat{"openmpi5", "Open MPI 5", open_mpi_pu_rankfile},
    MachineFileFormat{"mpich", "MPICH, host:ranks", host_counts},
    MachineFileFormat{"mpich-rankmap", "MPICH 5, -rankmap", mpich_rankmap},
    MachineFileFormat{"intel", "Intel MPI", host_counts},
    MachineFileFormat{"mpich-rank-order", "HPE Cray MPICH", mpich_rank_order},
};

const std::string& node_name(const Hct& hct, PuId pu) { return hct.node(hct.pu(pu).node).name; }

/// Returns the core of a PU; no_id where the tree has no cores.
ElementId core_of(const Hct& hct, PuId pu) {
    const ElementId parent = hct.element(hct.pu(pu).element).parent;
    return hct.element(parent).level == Level::core ? parent : no_id;
}

}  // namespace

std::span<const MachineFileFormat> machine_file_table() { return table; }

Result<std::string> open_mpi_pu_rankfile(const PlacedJob& job) {
    const Hct& hct = job.hct;
    std::vector<bool> taken(hct.num_pus(), false);
    for (const PuId pu : job.placement) taken[pu] = true;
    std::string text;
    for (std::size_t rank = 0; rank < job.placement.size(); ++rank) {
        const PuId first = job.placement[rank];
        const NodeInfo& node = hct.node(hct.pu(first).node);
        const ElementId core = core_of(hct, first);
        PuId end = first + 1;
        while (end < node.first_pu + node.num_pus && !taken[end] &&
               (end - first < job.cpus_per_task || (core != no_id && core_of(hct, end) == core))) {
            ++end;
        }
        text += fmt::format("rank {}={} slot={}\n", rank, node.name,
                            range_text(hct.pu_index(first), hct.pu_index(end - 1)));
    }
    return text;
}

Result<std::string> host_counts(const PlacedJob& job) {
    const Placement placement = job.placement;
    std::string text;
    for (std::size_t rank = 0; rank < placement.size();) {
        const std::string& name = node_name(job.hct, placement[rank]);
        const std::size_t first = rank;
        while (rank < placement.size() && node_name(job.hct, placement[rank]) == name) ++rank;
        text += fmt::format("{}:{}\n", name, rank - first);
    }
    return text;
}

Result<std::string> mpich_rankmap(const PlacedJob& job) {
    std::vector<bool> used(job.hct.num_nodes(), false);
    std::string text;
    for (const PuId pu : job.placement) {
        const NodeId node = job.hct.pu(pu).node;
        used[node] = true;
        text += (text.empty() ? "" : ",") + std::to_string(node);
    }
    for (NodeId node = 0; node < used.size(); ++node) {
        if (!used[node])
            return Error{Errc::invalid_input,
                         fmt::format("node '{}' has no rank, and mpiexec -rankmap would count the "
                                     "nodes without it (leave it out of the job)",
                                     job.hct.node(node).name)};
    }
    return text + '\n';
}

Result<std::string> mpich_rank_order(const PlacedJob& job) {
    std::vector<std::size_t> rank_at(job.hct.num_pus(), job.placement.size());
    for (std::size_t rank = 0; rank < job.placement.size(); ++rank)
        rank_at[job.placement[rank]] = rank;
    std::string text;
    for (std::size_t task = 0; task < job.slurms.size();) {
        const NodeId node = job.hct.pu(job.slurms[task]).node;
        if (task > 0) text += job.hct.pu(job.slurms[task - 1]).node == node ? "," : "\n";
        const std::size_t first = rank_at[job.slurms[task]];
        if (first == job.placement.size())
            return Error{Errc::invalid_input,
                         fmt::format("no rank runs where Slurm's task {} is, which a rank order "
                                     "cannot say: use --format hostfile",
                                     task)};
        std::size_t last = first;
        for (++task; task < job.slurms.size() && job.hct.pu(job.slurms[task]).node == node &&
                     rank_at[job.slurms[task]] == last + 1;
             ++task) {
            ++last;
        }
        text += last == first + 1 ? fmt::format("{},{}", first, last) : range_text(first, last);
    }
    return text + '\n';
}

}  // namespace commmap
