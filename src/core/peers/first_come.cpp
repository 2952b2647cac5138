// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/first_come.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <vector>

namespace commmap {
namespace {

/// The messages to one peer in one phase.
struct Part {
    RankId peer;
    std::size_t phase;
    std::uint64_t messages;
};

/// A peer to which at least `threshold` messages go.
struct Arrival {
    RankId peer;
    std::size_t phase;  ///< in which the peer reaches the threshold
    /// Of the `messages` in that phase, the number of the message that reaches the threshold.
    std::uint64_t number;
    std::uint64_t messages;
    std::uint64_t behind;  ///< messages of the run after that one
};

bool is_earlier(const Arrival& a, const Arrival& b) {
    if (a.phase != b.phase) return a.phase < b.phase;
    __extension__ using Wide = unsigned __int128;
    const Wide at_a = Wide{a.number} * b.messages;  // number / messages, both times both messages
    const Wide at_b = Wide{b.number} * a.messages;
    return at_a != at_b ? at_a < at_b : a.peer < b.peer;
}

/// Returns a rank's messages, sorted by peer and then by phase.
void collect_parts(const PriorityMatrix& matrix, RankId rank, std::vector<Part>& parts) {
    parts.clear();
    for (std::size_t phase = 0; phase < matrix.phases.size(); ++phase)
        for (const Priority& entry : matrix.phases[phase].of(rank))
            parts.push_back({entry.peer, phase, entry.messages});
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return std::tie(a.peer, a.phase) < std::tie(b.peer, b.phase);
    });
}

void collect_arrivals(const std::vector<Part>& parts, std::uint64_t threshold,
                      std::vector<Arrival>& arrivals) {
    arrivals.clear();
    for (auto part = parts.begin(); part != parts.end();) {
        const RankId peer = part->peer;
        std::uint64_t before = 0;
        bool has_arrived = false;
        for (; part != parts.end() && part->peer == peer; ++part) {
            if (has_arrived) {
                arrivals.back().behind += part->messages;
            } else if (part->messages >= threshold - before) {
                const std::uint64_t number = threshold - before;
                arrivals.push_back(
                    {peer, part->phase, number, part->messages, part->messages - number});
                has_arrived = true;
            } else {
                before += part->messages;
            }
        }
    }
}

}  // namespace

FirstCome first_come(const PriorityMatrix& matrix, std::uint64_t threshold) {
    assert(threshold > 0 && "a connection needs a message that asks for it");
    CoverageSum interleaved;
    CoverageSum worst;
    std::vector<Part> parts;
    std::vector<Arrival> arrivals;
    for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
        collect_parts(matrix, rank, parts);
        collect_arrivals(parts, threshold, arrivals);
        std::sort(arrivals.begin(), arrivals.end(), is_earlier);
        for (std::size_t place = 0; place < arrivals.size(); ++place)
            interleaved.add(place, arrivals[place].behind);
        std::sort(arrivals.begin(), arrivals.end(),
                  [](const Arrival& a, const Arrival& b) { return a.behind < b.behind; });
        for (std::size_t place = 0; place < arrivals.size(); ++place)
            worst.add(place, arrivals[place].behind);
    }
    return {interleaved.coverage(), worst.coverage()};
}

}  // namespace commmap
