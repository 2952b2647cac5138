// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/reconfiguration.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace commmap {
namespace {

/// Returns a rank's scheduled peers in ascending order.
std::vector<RankId> sorted_peers(const PeerSchedule& schedule, std::optional<std::size_t> phase,
                                 RankId rank, std::size_t most) {
    std::vector<RankId> peers;
    if (!phase) return peers;
    for (const Priority& entry : schedule.peers(*phase, rank, most)) peers.push_back(entry.peer);
    std::sort(peers.begin(), peers.end());
    return peers;
}

/// Adds the connections of a rank to the peers that are in `peers` and not in `others`.
void add_difference(RankId rank, const std::vector<RankId>& peers,
                    const std::vector<RankId>& others, std::vector<Connection>& to) {
    std::vector<RankId> only;
    std::set_difference(peers.begin(), peers.end(), others.begin(), others.end(),
                        std::back_inserter(only));
    for (const RankId peer : only) to.push_back({rank, peer});
}

/// Returns the most connections with one sender.
/// @param connections  sorted
std::uint64_t most_of_a_sender(const std::vector<Connection>& connections) {
    std::uint64_t most = 0;
    std::uint64_t of_sender = 0;
    for (std::size_t i = 0; i < connections.size(); ++i) {
        const bool is_same = i > 0 && connections[i - 1].sender == connections[i].sender;
        of_sender = is_same ? of_sender + 1 : 1;
        most = std::max(most, of_sender);
    }
    return most;
}

std::uint64_t product_or_most(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

std::uint64_t sum_or_most(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

}  // namespace

BorderChanges changes_at_border(const PeerSchedule& schedule, std::optional<std::size_t> before,
                                std::size_t after, std::size_t most) {
    BorderChanges changes;
    for (RankId rank = 0; rank < schedule.num_ranks(); ++rank) {
        const std::vector<RankId> old_peers = sorted_peers(schedule, before, rank, most);
        const std::vector<RankId> new_peers = sorted_peers(schedule, after, rank, most);
        const std::size_t made_before = changes.made.size();
        add_difference(rank, old_peers, new_peers, changes.closed);
        add_difference(rank, new_peers, old_peers, changes.made);
        changes.kept += new_peers.size() - (changes.made.size() - made_before);
    }
    return changes;
}

Reconfiguration reconfiguration(const PeerSchedule& schedule, const PhaseOrder& order,
                                std::size_t most) {
    assert(order.begins.size() == schedule.num_phases() && "the order is of other phases");
    Reconfiguration all;
    std::vector<PhaseConnections> phases;
    for (std::size_t phase = 0; phase < schedule.num_phases(); ++phase) {
        phases.push_back(connections_in(schedule, phase, most));
        const std::uint64_t made = product_or_most(order.begins[phase], phases[phase].connections);
        all.remade = sum_or_most(all.remade, made);
    }
    std::optional<std::size_t> before;
    for (const std::size_t after : order.sequence) {
        const BorderChanges changes = changes_at_border(schedule, before, after, most);
        Border& border = all.borders.emplace_back();
        border.before = before;
        border.after = after;
        border.closed = changes.closed.size();
        border.made = changes.made.size();
        border.kept = changes.kept;
        border.most_made = most_of_a_sender(changes.made);
        border.most_remade = phases[after].most_of_a_rank;
        all.changed += border.made;
        before = after;
    }
    return all;
}

}  // namespace commmap
