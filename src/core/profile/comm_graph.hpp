// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/traffic_matrix.hpp"

namespace commmap {

/// Messages of one size bucket from one rank to another, as a CommGraph lists them.
struct Traffic {
    RankId peer;          ///< destination in sent_by(), source in received_by()
    std::uint64_t count;  ///< messages, > 0
    std::uint64_t bytes;  ///< of all these messages together
    [[nodiscard]] double mean_length_bytes() const {
        return static_cast<double>(bytes) / static_cast<double>(count);
    }
};

/// Messages from one rank to another, before they are sorted into a graph.
struct Message {
    RankId source;
    RankId destination;
    std::uint64_t count;
    std::uint64_t bytes;
};

/// Sorts messages into the rows of a matrix. Messages go into the size bucket of their mean length,
/// and entries with the same ranks and bucket are added up.
/// @param messages  in any order; source < num_ranks (asserted); entries with count == 0 are
///                  dropped
/// Cost: O(messages log messages of a rank).
[[nodiscard]] TrafficMatrix rows_of(std::size_t num_ranks, const std::vector<Message>& messages);

/// The communication graph: who sent how many messages of which size to whom. It is directed, in
/// CSR form, and lists each message at its sender and at its receiver. Messages between the same
/// two ranks in the same size bucket are one Traffic entry. Messages of a rank to itself are
/// dropped, because they use no port.
/// Immutable and thread-safe once built.
/// Memory: 24 bytes per entry and direction.
class CommGraph {
public:
    CommGraph() = default;
    /// @param rows  of at most num_ranks ranks; peers < num_ranks (asserted)
    /// Cost: O(cells).
    CommGraph(const TrafficMatrix& rows, std::size_t num_ranks);
    CommGraph(std::size_t num_ranks, const std::vector<Message>& messages)
        : CommGraph(rows_of(num_ranks, messages), num_ranks) {}

    [[nodiscard]] std::size_t num_ranks() const { return out_.empty() ? 0 : out_.size() - 1; }
    [[nodiscard]] std::size_t num_entries() const { return sent_.size(); }
    /// Returns what a rank sent, sorted by destination, then by size bucket.
    [[nodiscard]] std::span<const Traffic> sent_by(RankId rank) const {
        return {sent_.data() + out_[rank], out_[rank + 1] - out_[rank]};
    }
    /// Returns what a rank received, sorted by source, then by size bucket.
    [[nodiscard]] std::span<const Traffic> received_by(RankId rank) const {
        return {received_.data() + in_[rank], in_[rank + 1] - in_[rank]};
    }
    /// Returns the number of messages that a rank sent.
    [[nodiscard]] double count_sent_by(RankId rank) const;
    [[nodiscard]] std::uint64_t total_bytes() const;
    [[nodiscard]] std::uint64_t total_count() const;

private:
    std::vector<std::size_t> out_;
    std::vector<Traffic> sent_;
    std::vector<std::size_t> in_;
    std::vector<Traffic> received_;
};

}  // namespace commmap
