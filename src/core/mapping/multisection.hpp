#pragma once

#include <cstdint>
#include <vector>

#include "core/mapping/bisection.hpp"
#include "core/mapping/csr_graph.hpp"
#include "core/mapping/machine_tree.hpp"

namespace commmap {

/// The bin of each rank, by bisections of the graph: see fill_by_halves().
///
/// @param graph         single ranks; at most machine.num_pus()
/// @param effort  among the children of the root; further down a part of it
/// Cost: O(edges log bins) times the effort. Deterministic by seed.
/// Source: recursive multisection as in TMMGP: Khoroshevsky, Kurnosov, "Mapping Parallel Programs
/// into Hierarchical Distributed Computer Systems", ICSOFT 2009, Sec. 4.2. Differs from the paper:
/// see multilevel.hpp.
[[nodiscard]] std::vector<GroupId> multisect(const CsrGraph& graph, const MachineTree& machine,
                                             const BisectionEffort& effort, std::uint64_t seed);

}  // namespace commmap
