// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/map_ranks.hpp"

namespace commmap {

/// Parts of the engine besides halving. They can be left out, to measure what each adds.
struct EngineParts {
    bool grids = true;         ///< boxes of recognised grids
    bool hierarchies = true;   ///< several of a bisection's middle graph; else one
    bool combinations = true;  ///< of two bisections
    bool annealing = true;     ///< of the children's cut, for hop-bytes; else a longer search
    bool exchanges = true;     ///< between the children of a group
    bool balancing = true;     ///< of the children's loads, if port cost is asked for
    bool chains = true;        ///< of moves over the whole tree
    bool kicks = true;         ///< of small graphs
};

/// Settings of map_ranks(), with the parts of the engine that it may use.
struct EngineSettings : MapSettings {
    EngineParts parts = {};
};

/// Does the same as map_ranks() with parts of the engine left out.
[[nodiscard]] Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                                            const EngineSettings& settings);

}  // namespace commmap
