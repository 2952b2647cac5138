#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/traffic_matrix.hpp"

namespace commmap {

/// Messages of one size class from one rank to another.
struct Traffic {
    RankId peer;          ///< destination in sent_by(), source in received_by()
    std::uint64_t count;  ///< messages, > 0
    std::uint64_t bytes;  ///< all of them together
    [[nodiscard]] double mean_length_bytes() const {
        return static_cast<double>(bytes) / static_cast<double>(count);
    }
};

/// One row entry before it is sorted into a graph.
struct Message {
    RankId source;
    RankId destination;
    std::uint64_t count;
    std::uint64_t bytes;
};

/// Messages as rows of a matrix, in any order; each in the size bucket of its mean length, equal
/// ones added up.
/// @param messages  source < num_ranks (asserted); with count == 0 they are dropped
/// Cost: O(messages log messages of a rank).
[[nodiscard]] TrafficMatrix rows_of(std::size_t num_ranks, const std::vector<Message>& messages);

/// The communication graph: directed, in CSR form, both directions kept. Messages between the same
/// two ranks in the same size bucket are one Traffic entry. Self messages are dropped (they use no
/// port). Immutable and thread-safe once built. Memory: 24 bytes per entry and direction.
class CommGraph {
public:
    CommGraph() = default;
    /// @param rows  of num_ranks ranks at most; peers < num_ranks (asserted)
    /// Cost: O(cells).
    CommGraph(const TrafficMatrix& rows, std::size_t num_ranks);
    CommGraph(std::size_t num_ranks, const std::vector<Message>& messages)
        : CommGraph(rows_of(num_ranks, messages), num_ranks) {}

    [[nodiscard]] std::size_t num_ranks() const { return out_.empty() ? 0 : out_.size() - 1; }
    [[nodiscard]] std::size_t num_entries() const { return sent_.size(); }
    /// Sorted by peer, then by size bucket.
    [[nodiscard]] std::span<const Traffic> sent_by(RankId rank) const {
        return {sent_.data() + out_[rank], out_[rank + 1] - out_[rank]};
    }
    [[nodiscard]] std::span<const Traffic> received_by(RankId rank) const {
        return {received_.data() + in_[rank], in_[rank + 1] - in_[rank]};
    }
    [[nodiscard]] std::uint64_t total_bytes() const;
    [[nodiscard]] std::uint64_t total_count() const;

private:
    std::vector<std::size_t> out_;
    std::vector<Traffic> sent_;
    std::vector<std::size_t> in_;
    std::vector<Traffic> received_;
};

}  // namespace commmap
