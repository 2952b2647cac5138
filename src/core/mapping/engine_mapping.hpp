#pragma once

#include "core/mapping/mapper_table.hpp"

namespace commmap {

/// The mapping engine's placement (mapper.hpp) of a job, for the port cost; rank 0 is brought
/// to its node afterwards. Errors: as check_problem() and engine_problem(). Cost: docs/mapping.md.
/// Deterministic by seed, but for the deadline.
[[nodiscard]] Result<Mapping> map_engine(const MappingProblem& problem,
                                         const MapperOptions& options);

}  // namespace commmap
