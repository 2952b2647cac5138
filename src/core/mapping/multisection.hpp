#pragma once

#include <cstdint>
#include <vector>

#include "core/base/deadline.hpp"
#include "core/mapping/bisection.hpp"
#include "core/mapping/csr_graph.hpp"
#include "core/mapping/machine_tree.hpp"

namespace commmap {

/// The bin of each rank, by bisections of the graph: see fill_by_halves().
///
/// @param graph         single ranks; at most machine.num_pus()
/// @param effort  among the children of the root; further down a part of it
/// @param deadline  when it has passed, what is not split yet is split in the order of ranks; it is
/// asked before each bisection
/// Cost: O(edges log bins) times the effort. Deterministic by seed.
/// Source: recursive multisection as in TMMGP: Khoroshevsky, Kurnosov, "Mapping Parallel Programs
/// into Hierarchical Distributed Computer Systems", ICSOFT 2009, Sec. 4.2. Differs from the paper:
/// it partitions once, into the lowest groups; and parts are exact.
[[nodiscard]] std::vector<GroupId> multisect(const CsrGraph& graph, const MachineTree& machine,
                                             const BisectionEffort& effort, std::uint64_t seed,
                                             const Deadline& deadline = {});

}  // namespace commmap
