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

/// How long map_ranks() looks; docs/user/mapping.md has what each costs.
enum class Preset : unsigned char { fast, standard, strong };

/// What map_ranks() may take by default: 2 s and 100 us a rank, ten times that where `strong` is
/// asked for. Ordinary graphs take a tenth of it, for port cost up to a half.
[[nodiscard]] COMMMAP_EXPORT double default_budget_s(std::size_t num_ranks, Preset preset);

struct MapSettings {
    Objective objective = Objective::hop_bytes;
    Preset preset = Preset::standard;
    std::uint64_t seed = 1;
    /// At the same time; how many does not change what is found.
    unsigned threads = 1;
    /// When it has passed, the best placement found so far is returned; it is asked between two
    /// bisections, of which the first ones of a million ranks take a second, two looks of an
    /// annealing, pairs of parts, and chains. Without one nothing depends on the clock.
    Deadline deadline = {};
};

/// One of the placements that were made, and what became of it.
struct CandidatePlacement {
    std::string_view name;
    Preset preset = Preset::standard;  ///< whose effort made it: `strong` looks as by default first
    PlacementFigures figures;
    double seconds = 0.0;  ///< of wall time that it took
};

struct RankMapping {
    std::vector<GroupId> bin_of_rank;
    std::vector<PuId> pu_of_rank;  ///< distinct; ranks of a bin take its PUs in ascending order
    PlacementFigures figures;
    /// In the order in which they were made; the first is ranks in their own order.
    std::vector<CandidatePlacement> candidates;
    std::size_t chosen = 0;  ///< of candidates
    bool hard = false;       ///< the graph: is_hard() in csr_graph.hpp
    /// The deadline ended a part of the search: the next one may find something else.
    bool cut_short = false;
};

/// The bins of ranks in their own order, from the first PU on. @pre they fit
[[nodiscard]] COMMMAP_EXPORT std::vector<GroupId> ranks_in_order(const MachineTree& machine,
                                                                 std::size_t num_ranks);

/// Puts each rank of a communication graph on a PU of a machine, no two on one: grids and tori by
/// boxes, other graphs by multisection (also a grid whose edges are not all alike, or where another
/// objective than hop-bytes is asked for), and chains of moves after that; the best of these and of
/// the ranks in their own order is taken. docs/examples/map_ranks.cpp is a program that does it.
///
/// @param graph    a vertex is a rank; graph_of_edges() makes it, or graph_file.hpp reads it
/// @param machine  MachineTree::make() makes it; a unit of weight costs the distance it goes
/// Errors: invalid_input when there are more ranks than PUs that may be used; out_of_range from
/// 2^31 edges on. Deterministic by seed, but for the deadline. Thread-safe.
/// Cost: docs/user/mapping.md.
[[nodiscard]] COMMMAP_EXPORT Result<RankMapping> map_ranks(const WeightedGraph& graph,
                                                           const MachineTree& machine,
                                                           const MapSettings& settings = {});

}  // namespace commmap
