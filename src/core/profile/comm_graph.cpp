// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/comm_graph.hpp"

#include <cassert>
#include <cstdint>

#include "core/profile/size_bucket.hpp"

namespace commmap {

namespace {

/// Returns the size bucket of a message's mean length. Rounding up is exact: the limits are whole
/// numbers, so mean <= limit if and only if ceil(mean) <= limit.
std::uint32_t mean_bucket(const Message& message) {
    const std::uint64_t whole = message.bytes / message.count;
    const bool rest = message.bytes % message.count != 0;
    return static_cast<std::uint32_t>(size_bucket(whole + (rest ? 1 : 0)));
}

}  // namespace

TrafficMatrix rows_of(std::size_t num_ranks, const std::vector<Message>& messages) {
    // Groups the messages by source in a counting sort, so that only short rows are left to sort.
    std::vector<std::size_t> place(num_ranks + 1, 0);
    for (const Message& m : messages) {
        assert(m.source < num_ranks && "a message names a rank that does not exist");
        if (m.count > 0) ++place[m.source + 1];
    }
    for (std::size_t r = 0; r < num_ranks; ++r) place[r + 1] += place[r];
    std::vector<TrafficCell> cells(place[num_ranks]);
    for (const Message& m : messages)
        if (m.count > 0)
            cells[place[m.source]++] = {m.destination, mean_bucket(m), m.count, m.bytes};

    TrafficMatrix matrix;
    matrix.reserve(num_ranks, cells.size());
    std::size_t begin = 0;
    for (std::size_t r = 0; r < num_ranks; ++r) {
        const auto row = std::span(cells).subspan(begin, place[r] - begin);
        begin = place[r];  // by now place[r] is where the next rank's row begins
        matrix.add_row(row.first(reduce_by_key(row)));
    }
    return matrix;
}

CommGraph::CommGraph(const TrafficMatrix& rows, std::size_t num_ranks)
    : out_(num_ranks + 1, 0), in_(num_ranks + 1, 0) {
    sent_.reserve(rows.num_cells());
    for (std::size_t r = 0; r < num_ranks; ++r) {
        for (const TrafficCell& cell : rows.sent_by(static_cast<RankId>(r))) {
            assert(cell.peer < num_ranks && "a message names a rank that does not exist");
            if (cell.peer == r || cell.count == 0) continue;
            ++in_[cell.peer + 1];
            sent_.push_back({cell.peer, cell.count, cell.bytes});
        }
        out_[r + 1] = sent_.size();
    }
    for (std::size_t r = 0; r < num_ranks; ++r) in_[r + 1] += in_[r];

    // Sources are visited in ascending order, so each rank's received entries come out sorted by
    // source.
    received_.resize(sent_.size());
    std::vector<std::size_t> next(in_.begin(), in_.end());
    for (std::size_t r = 0; r < num_ranks; ++r) {
        for (std::size_t i = out_[r]; i < out_[r + 1]; ++i) {
            Traffic& slot = received_[next[sent_[i].peer]++];
            slot = sent_[i];
            slot.peer = static_cast<RankId>(r);
        }
    }
}

double CommGraph::count_sent_by(RankId rank) const {
    double sum = 0.0;
    for (const Traffic& t : sent_by(rank)) sum += static_cast<double>(t.count);
    return sum;
}

std::uint64_t CommGraph::total_bytes() const {
    std::uint64_t sum = 0;
    for (const Traffic& t : sent_) sum += t.bytes;
    return sum;
}

std::uint64_t CommGraph::total_count() const {
    std::uint64_t sum = 0;
    for (const Traffic& t : sent_) sum += t.count;
    return sum;
}

}  // namespace commmap
