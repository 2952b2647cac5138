// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/coverage.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace commmap {
namespace {

void add_rows(const PriorityRows& ranked_rows, CoverageSum& sum) {
    for (RankId rank = 0; rank < ranked_rows.num_ranks(); ++rank) {
        const std::span<const Priority> row = ranked_rows.of(rank);
        for (std::size_t place = 0; place < row.size(); ++place)
            sum.add(place, row[place].messages);
    }
}

/// Returns a rank's messages to a peer.
/// @param row  sorted by peer
std::uint64_t messages_to(std::span<const Priority> row, RankId peer) {
    const auto found =
        std::lower_bound(row.begin(), row.end(), peer,
                         [](const Priority& entry, RankId wanted) { return entry.peer < wanted; });
    return found != row.end() && found->peer == peer ? found->messages : 0;
}

}  // namespace

Coverage CoverageSum::coverage() const {
    Coverage coverage;
    std::partial_sum(at_place_.begin(), at_place_.end(), coverage.carried.begin());
    return coverage;
}

Coverage coverage_by_phases(const PeerSchedule& schedule) {
    CoverageSum sum;
    for (std::size_t phase = 0; phase < schedule.num_phases(); ++phase)
        add_rows(schedule.phase(phase), sum);
    return sum.coverage();
}

Coverage coverage_of_whole_run(const PriorityMatrix& matrix) {
    CoverageSum sum;
    add_rows(ranked(whole_run(matrix)), sum);
    return sum.coverage();
}

Coverage coverage_by_other(const PriorityMatrix& matrix, const PeerSchedule& schedule,
                           std::span<const std::optional<std::size_t>> matched) {
    assert(schedule.num_ranks() == matrix.num_ranks && "the schedule is of other ranks");
    assert(matched.size() == matrix.phases.size() && "every phase has a match or none");
    CoverageSum sum;
    for (std::size_t phase = 0; phase < matrix.phases.size(); ++phase) {
        if (!matched[phase]) continue;
        for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
            const auto scheduled = schedule.peers(*matched[phase], rank, most_connections);
            const std::span<const Priority> sent = matrix.phases[phase].of(rank);
            for (std::size_t place = 0; place < scheduled.size(); ++place)
                sum.add(place, messages_to(sent, scheduled[place].peer));
        }
    }
    return sum.coverage();
}

std::size_t suggested_connections(const Coverage& by_phases) {
    __extension__ using Wide = unsigned __int128;
    const Wide wanted = Wide{by_phases.carried.back()} * suggested_percent;
    std::size_t most = 1;
    while (Wide{by_phases.with(most)} * 100 < wanted) ++most;
    return most;
}

}  // namespace commmap
