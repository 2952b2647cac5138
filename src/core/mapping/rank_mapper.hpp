#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/deadline.hpp"
#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/mapping/machine_tree.hpp"
#include "core/mapping/placement_figures.hpp"
#include "core/mapping/weighted_graph.hpp"

namespace commmap {

/// What a placement is judged by: the figure of that name in PlacementFigures; where two have the
/// same, the lower hop-bytes.
enum class Objective : unsigned char { hop_bytes, port_cost, process_time };

/// How long map_ranks() looks; docs/mapping.md has what each costs.
enum class Preset : unsigned char { fast, standard, strong };

struct MapSettings {
    Objective objective = Objective::hop_bytes;
    Preset preset = Preset::standard;
    std::uint64_t seed = 1;
    /// When it has passed, the best placement found so far is returned; it is asked between two
    /// bisections, of which the first ones of a million ranks take a second. Without one nothing
    /// depends on the clock.
    Deadline deadline = {};
};

/// One of the placements that were made, and what became of it.
struct CandidatePlacement {
    std::string_view name;
    PlacementFigures figures;
    double seconds = 0.0;  ///< of wall time that it took
};

struct RankMapping {
    std::vector<GroupId> bin_of_rank;
    std::vector<PuId> pu_of_rank;  ///< distinct; ranks of a bin take its PUs in ascending order
    PlacementFigures figures;
    std::vector<CandidatePlacement> candidates;  ///< in the order in which they were made
    std::size_t chosen = 0;                      ///< of candidates
};

/// Puts each rank of a communication graph on a PU of a machine, no two on one: grids and tori by
/// boxes, other graphs by multisection (also a grid whose edges are not all alike), and chains of
/// moves after that; the best of these and of the ranks in their own order is taken. All of them
/// look for low hop-bytes; another objective only chooses among them.
///
/// Errors: invalid_input when there are more ranks than PUs that may be used; out_of_range from
/// 2^31 edges on. Deterministic by seed, but for the deadline. Thread-safe.
/// Cost: docs/mapping.md.
[[nodiscard]] Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                                            const MapSettings& settings = {});

}  // namespace commmap
