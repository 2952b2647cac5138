// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// A collective algorithm to begin with: a broadcast from member to member.
// This file is compiled with the tests, and registered nowhere.
//
// 1. Copy it to src/core/collectives/algorithms/rooted/, under the function's name. Where no member
//    is the root, the folder is symmetric/.
// 2. Declare the function in src/core/collectives/algorithms/algorithms.hpp, and add the file to
//    src/core/collectives/CMakeLists.txt.
// 3. Add a row to the table in src/core/collectives/expansion/schedule_table.cpp.
// 4. Choose it in the rules of a library, open_mpi_4_rules.cpp and its like beside that table.
// 5. Add a case to tests/core/collectives/schedule_test.cpp: the messages of one call of four
//    members, worked out by hand.
// 6. Add a row to docs/developer/collectives.md.
#include <cstdint>
#include <vector>

#include "core/collectives/schedule.hpp"

namespace commmap {

/// Each member sends all of the payload to the next one, once it has come.
///
/// Source: the textbook's chain, without segments.
void bcast_one_by_one(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);

void bcast_one_by_one(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint32_t hop = 0; hop + 1 < n; ++hop, ++step) {
        const std::uint32_t source = (call.root + hop) % n;
        messages.push_back({source, (source + 1) % n, call.payload_bytes, step});
    }
}

}  // namespace commmap
