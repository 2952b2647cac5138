// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "commmap/deadline.hpp"
#include "commmap/machine_tree.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/grid/grid.hpp"
#include "core/tree_mapping/partition/bisection.hpp"
#include "core/tree_mapping/partition/part_annealing.hpp"

namespace commmap {

/// Effort of a division of ranks among the children of a group.
struct DivisionEffort {
    BisectionEffort bisection;
    unsigned sweeps = 0;              ///< of exchanges between the children
    unsigned cycles = 0;              ///< of exchanges, also of groups of ranks, large to small
    unsigned even_out = 0;            ///< cycles that lower each power of the children's loads
    PartAnnealing::Effort annealing;  ///< of the cut between the children, first of all

    [[nodiscard]] bool improves() const {
        return sweeps > 0 || cycles > 0 || even_out > 0 || annealing.cycles > 0;
    }
};

struct LevelEfforts {
    DivisionEffort top;    ///< at the first level where ranks go to more than one group
    DivisionEffort below;  ///< further down
};

struct MultisectionEffort {
    LevelEfforts annealed;
    LevelEfforts other;  ///< at levels where a group has too many children or ranks for annealing
};

struct Multisection {
    std::vector<GroupId> bin_of_rank;
    bool cut_short = false;  ///< by the deadline: the result could be another one the next time
};

/// Returns the bin of each rank, by bisections of the graph and exchanges between the children of a
/// group: see fill_by_halves().
/// If loads are to be even, the most loaded children's links get less, even if all links together
/// get more.
///
/// @param graph     single ranks; at most machine.num_pus()
/// @param grid      the vertices' points: the least of the cuts along its axes is taken; none:
///                  bisections
/// @param deadline  asked before each bisection. After it, ranks are split in the order of their
///                  numbers
/// Cost: O(edges log bins) times the effort.
/// Deterministic by seed, for any number of threads.
/// Source: recursive multisection as in TMMGP: Khoroshevsky, Kurnosov, "Mapping Parallel Programs
/// into Hierarchical Distributed Computer Systems", ICSOFT 2009, Sec. 4.2.
/// Differs from the paper: it partitions once, into the lowest groups; and parts are exact.
[[nodiscard]] Multisection multisect(const CsrGraph& graph, const MachineTree& machine,
                                     const MultisectionEffort& effort, std::uint64_t seed,
                                     Threads& threads, const Deadline& deadline = {},
                                     const Grid* grid = nullptr);

}  // namespace commmap
