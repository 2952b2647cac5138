// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/peer_schedule.hpp"

#include <algorithm>
#include <cassert>

namespace commmap {
namespace {

bool has_priority(const Priority& a, const Priority& b) {
    return a.messages != b.messages ? a.messages > b.messages : a.peer < b.peer;
}

}  // namespace

PriorityRows ranked(const PriorityRows& rows) {
    PriorityRows best;
    best.reserve(rows.num_ranks(), 0);
    std::vector<Priority> row(most_connections);
    for (RankId rank = 0; rank < rows.num_ranks(); ++rank) {
        const std::span<const Priority> all = rows.of(rank);
        row.resize(std::min(all.size(), most_connections));
        std::partial_sort_copy(all.begin(), all.end(), row.begin(), row.end(), has_priority);
        best.add_row(row);
    }
    return best;
}

PeerSchedule::PeerSchedule(const PriorityMatrix& matrix) : num_ranks_(matrix.num_ranks) {
    for (const PriorityRows& phase : matrix.phases) phases_.push_back(ranked(phase));
}

std::span<const Priority> PeerSchedule::peers(std::size_t phase, RankId rank,
                                              std::size_t most) const& {
    assert(most > 0 && most <= most_connections && "the schedule does not know so many");
    const std::span<const Priority> all = phases_[phase].of(rank);
    return all.first(std::min(all.size(), most));
}

bool PeerSchedule::connects(std::size_t phase, Connection connection, std::size_t most) const {
    const std::span<const Priority> scheduled = peers(phase, connection.sender, most);
    return std::any_of(scheduled.begin(), scheduled.end(),
                       [&](const Priority& entry) { return entry.peer == connection.receiver; });
}

PhaseConnections connections_in(const PeerSchedule& schedule, std::size_t phase, std::size_t most) {
    PhaseConnections sum;
    std::vector<std::uint64_t> into(schedule.num_ranks());
    for (RankId rank = 0; rank < schedule.num_ranks(); ++rank) {
        const std::span<const Priority> scheduled = schedule.peers(phase, rank, most);
        sum.connections += scheduled.size();
        sum.most_of_a_rank = std::max<std::uint64_t>(sum.most_of_a_rank, scheduled.size());
        for (const Priority& entry : scheduled) {
            sum.messages += entry.messages;
            sum.most_into_a_rank = std::max(sum.most_into_a_rank, ++into[entry.peer]);
        }
    }
    return sum;
}

}  // namespace commmap
