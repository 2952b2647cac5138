// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "commmap/deadline.hpp"
#include "commmap/export.hpp"
#include "commmap/ids.hpp"
#include "commmap/machine_tree.hpp"
#include "commmap/placement_figures.hpp"
#include "commmap/result.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// How hard map_ranks() searches: the harder, the lower the cost of the placement and the longer
/// the search. docs/developer/mapping-engine.md has times and results of each preset.
enum class Preset : unsigned char { fast, standard, strong };

/// Returns the time limit in seconds that `commmap map --graph` sets: 2 s and 100 us for each rank;
/// ten times that for `strong`. Ordinary graphs need a tenth of this time, or up to a half for port
/// cost.
[[nodiscard]] COMMMAP_EXPORT double default_budget_s(std::size_t num_ranks, Preset preset);

/// Settings of map_ranks(): what to lower, how hard to search, and when to stop.
struct MapSettings {
    Objective objective = Objective::hop_bytes;  ///< what the search lowers
    Preset preset = Preset::standard;
    std::uint64_t seed = 1;
    /// Threads that run at the same time. The number does not change the placement.
    unsigned threads = 1;
    /// When the deadline has passed, map_ranks() returns the best placement so far. The search asks
    /// at intervals: between two bisections (for a million ranks the first ones take a second
    /// each), passes of annealing, pairs of parts, and chains of moves. Without a deadline the
    /// result does not depend on the clock.
    Deadline deadline = {};
};

/// A placement that map_ranks() tried: how it was made, and what it costs.
struct CandidatePlacement {
    std::string_view name;  ///< the method: "order", "boxes", "multisection", ...
    /// effort of this try: `strong` first tries what `standard` does
    Preset preset = Preset::standard;
    PlacementFigures figures;
    double seconds = 0.0;  ///< wall time that the try took
};

/// The result of map_ranks(): the placement, what it costs, and which other placements were tried.
struct RankMapping {
    /// The bin that holds the PU of each rank.
    std::vector<GroupId> bin_of_rank;
    std::vector<PuId> pu_of_rank;  ///< distinct; ranks of a bin take its PUs in ascending order
    PlacementFigures figures;
    /// All placements that were tried, in that order. The first is the ranks in their own order:
    /// rank 0 on the first PU, rank 1 on the second.
    std::vector<CandidatePlacement> candidates;
    std::size_t chosen = 0;  ///< index into candidates of the placement that is returned
    /// A few vertices have many of the graph's edges, so that a longer search finds less. That is
    /// so where a vertex's neighbours have on average more than three times as many neighbours as a
    /// vertex.
    bool hard = false;
    /// The deadline ended a part of the search. With more time the result may be better.
    bool cut_short = false;
};

/// Returns the bin of each rank when rank 0 takes the first PU, rank 1 the second, and so on.
/// @pre num_ranks <= machine.num_pus()
[[nodiscard]] COMMMAP_EXPORT std::vector<GroupId> ranks_in_order(const MachineTree& machine,
                                                                 std::size_t num_ranks);

/// Finds a placement: puts each rank of a communication graph on a PU of its own, so that ranks
/// that exchange much are close to each other.
///
/// It tries several methods and returns the placement with the lowest value of settings.objective:
/// - the ranks in their own order, so that the result is never worse than these;
/// - boxes, where the graph is a grid or a torus;
/// - multisection for all other graphs. It also serves grids whose edges differ, and objectives
///   other than hop-bytes.
/// Chains of moves then improve the placement of each method. docs/examples/map_ranks.cpp is a
/// whole program.
///
/// @param graph    one vertex for each rank; graph_of_edges() makes it, read_graph_file() reads it
/// @param machine  MachineTree::make() makes it; one unit of an edge's weight costs the distance
///                 that the unit travels
/// Errors: invalid_input when there are more ranks than available PUs; out_of_range for 2^31 edges
/// or more.
/// Same input and seed, same result, unless the deadline cuts the search short. Thread-safe.
/// Cost: see docs/developer/mapping-engine.md.
[[nodiscard]] COMMMAP_EXPORT Result<RankMapping> map_ranks(const WeightedGraph& graph,
                                                           const MachineTree& machine,
                                                           const MapSettings& settings = {});

}  // namespace commmap
