// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// A mapper to begin with: ranks in their own order, the last one first.
// This file is compiled with the tests, and registered nowhere.
//
// 1. Copy it to src/core/mapping/construction/NAME.cpp, and the declaration to NAME.hpp. Name the
//    paper as the source; without a paper the row's source stays empty.
// 2. Add NAME.cpp to src/core/mapping/CMakeLists.txt.
// 3. Add a row to the table in src/core/mapping/mapper_table.cpp, and the include above it.
//    With candidate_up_to_ranks = 0 the planner tries the mapper only where a user names it.
// 4. Add tests/core/mapping/construction/NAME_test.cpp with a case that was worked out by hand, and
//    its name to tests/core/mapping/CMakeLists.txt. mapper_table_test.cpp tests every row already:
//    it allows four times the least cost in the mean. A mapper that does not look at the messages
//    may cost more: add its name to `baseline` there.
// 5. Add a row to docs/user/mappers.md, and a line to CHANGELOG.md. A mapper that runs on request
//    only is named in the list below that table too.
// 6. bench/results/mappers.json has a row for each mapper: `scripts/bench mappers --json
//    bench/results/mappers.json` makes it, without times, and mappers.md shows its numbers.
// 7. Look at the result. The repository has profiles to try a mapper with:
//    commmap map --profile bench/profiles/cg.commmap --cluster tests/testbed/shapes/8x2.yaml
//                --mapper NAME
#include <vector>

#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/mapping_problem.hpp"
#include "core/mapping/problem/rank0.hpp"

namespace commmap {

/// Puts the last rank on the first PU that linear uses, the last but one on the second, and so on.
/// Where rank 0 must be on another node, rank 0 changes places with a rank there.
///
/// Errors: as check_problem().
/// Cost: O(ranks).
Result<Mapping> map_backwards(const MappingProblem& problem, const MapperOptions& options);

Result<Mapping> map_backwards(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    Mapping mapping;
    const std::vector<PuId> used = used_pus(problem);
    mapping.pu_of_rank.assign(used.rbegin(), used.rend());
    put_rank0_by_one_swap(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
