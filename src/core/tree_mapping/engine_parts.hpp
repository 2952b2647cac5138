#pragma once

#include "commmap/map_ranks.hpp"

namespace commmap {

/// What the engine is made of besides halving: for measuring what each adds.
struct EngineParts {
    bool grids = true;         ///< boxes of recognised grids
    bool hierarchies = true;   ///< several of a bisection's middle graph; else one
    bool combinations = true;  ///< of two bisections
    bool annealing = true;     ///< of the children's cut, for hop-bytes; else a longer look
    bool exchanges = true;     ///< between the children of a group
    bool balancing = true;     ///< of the children's loads, where port cost is asked for
    bool chains = true;        ///< of moves over the whole tree
    bool kicks = true;         ///< of small graphs
};

/// What map_ranks() is told, and which parts of the engine it may use.
struct EngineSettings : MapSettings {
    EngineParts parts = {};
};

/// map_ranks() with parts of the engine left out.
[[nodiscard]] Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                                            const EngineSettings& settings);

}  // namespace commmap
