#include "core/profile/comm_graph.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

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

}  // namespace

CommGraph::CommGraph(std::size_t num_ranks, std::vector<Message> messages)
    : out_(num_ranks + 1, 0), in_(num_ranks + 1, 0) {
    std::erase_if(messages,
                  [](const Message& m) { return m.count == 0 || m.source == m.destination; });
    const auto key = [](const Message& m) {
        return std::tuple(m.source, m.destination, mean_bucket(m));
    };
    std::sort(messages.begin(), messages.end(),
              [&key](const Message& a, const Message& b) { return key(a) < key(b); });

    // The mean of what falls into one bucket is in that bucket too, so bucket order is mean-length
    // order.
    sent_.reserve(messages.size());
    for (std::size_t i = 0; i < messages.size();) {
        const Message& first = messages[i];
        assert(first.source < num_ranks && first.destination < num_ranks &&
               "a message names a rank that does not exist");
        Traffic traffic{first.destination, 0, 0};
        const auto group = key(first);
        for (; i < messages.size() && key(messages[i]) == group; ++i) {
            traffic.count += messages[i].count;
            traffic.bytes += messages[i].bytes;
        }
        ++out_[first.source + 1];
        ++in_[first.destination + 1];
        sent_.push_back(traffic);
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
