#include "core/profile/comm_graph.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "core/profile/size_bucket.hpp"

namespace commmap {

namespace {

/// Bucket of the mean length. Rounding up is exact: the limits are whole numbers, so mean <= limit
/// <=> ceil <= limit.
std::size_t mean_bucket(const Message& message) {
    const std::uint64_t whole = message.bytes / message.count;
    const bool rest = message.bytes % message.count != 0;
    return size_bucket(whole + (rest ? 1 : 0));
}

/// A message in the row of its source.
struct Entry {
    std::uint64_t key;  ///< destination, then bucket
    std::uint64_t count;
    std::uint64_t bytes;
};

bool is_dropped(const Message& m) { return m.count == 0 || m.source == m.destination; }

}  // namespace

CommGraph::CommGraph(std::size_t num_ranks, const std::vector<Message>& messages)
    : out_(num_ranks + 1, 0), in_(num_ranks + 1, 0) {
    // By source first, counted: what is left to sort are short rows.
    std::vector<std::size_t> row(num_ranks + 1, 0);
    for (const Message& m : messages) {
        assert(m.source < num_ranks && m.destination < num_ranks &&
               "a message names a rank that does not exist");
        if (is_dropped(m)) continue;
        ++row[m.source + 1];
    }
    for (std::size_t r = 0; r < num_ranks; ++r) row[r + 1] += row[r];
    std::vector<Entry> entries(row[num_ranks]);
    std::vector<std::size_t> place(row.begin(), row.end());
    for (const Message& m : messages) {
        if (is_dropped(m)) continue;
        entries[place[m.source]++] = {
            std::uint64_t{m.destination} * num_size_buckets + mean_bucket(m), m.count, m.bytes};
    }

    // The mean of what falls into one bucket is in that bucket too, so bucket order is mean-length
    // order.
    sent_.reserve(entries.size());
    for (std::size_t r = 0; r < num_ranks; ++r) {
        const std::size_t end = row[r + 1];
        std::sort(entries.begin() + static_cast<std::ptrdiff_t>(row[r]),
                  entries.begin() + static_cast<std::ptrdiff_t>(end),
                  [](const Entry& x, const Entry& y) { return x.key < y.key; });
        for (std::size_t i = row[r]; i < end;) {
            const std::uint64_t key = entries[i].key;
            Traffic traffic{static_cast<RankId>(key / num_size_buckets), 0, 0};
            for (; i < end && entries[i].key == key; ++i) {
                traffic.count += entries[i].count;
                traffic.bytes += entries[i].bytes;
            }
            ++out_[r + 1];
            ++in_[traffic.peer + 1];
            sent_.push_back(traffic);
        }
    }
    for (std::size_t r = 0; r < num_ranks; ++r) {
        out_[r + 1] += out_[r];
        in_[r + 1] += in_[r];
    }

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
