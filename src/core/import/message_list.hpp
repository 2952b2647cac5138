// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Counts the messages and bytes of a whole file. While these sums fit into 64 bits, no partial sum
/// can overflow.
class ImportedSums {
public:
    /// Adds to both sums. Errors: out_of_range; the message has no place in the file.
    [[nodiscard]] Status add(std::uint64_t count, std::uint64_t bytes);

private:
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Collects the messages of a phase in the order of a file.
/// Memory: 24 bytes for each entry.
class MessageList {
public:
    /// @param sums  of the whole file
    explicit MessageList(ImportedSums& sums) : sums_(&sums) {}

    /// Adds messages from one rank to another. With count == 0 only the ranks are noted.
    /// @param source, destination  < max_profile_ranks
    /// Errors: out_of_range; the message has no place in the file.
    [[nodiscard]] Status add(RankId source, RankId destination, std::uint64_t count,
                             std::uint64_t bytes);
    /// Notes that this rank exists.
    void note_rank(RankId rank);
    /// Returns one more than the highest rank that was noted.
    [[nodiscard]] std::size_t num_ranks() const { return num_ranks_; }
    /// Returns the messages as rows of a matrix, in the size buckets of their mean lengths.
    [[nodiscard]] TrafficMatrix rows(std::size_t num_ranks) const;

private:
    ImportedSums* sums_;
    std::vector<Message> messages_;
    std::size_t num_ranks_ = 0;
};

/// Chooses the number of ranks for a file that does not state it: one more than the highest rank,
/// or the number that the user asks for. When the user asks for none, a short file with a high rank
/// counts as damaged, because each rank costs memory, whether it sends or not.
///
/// @param highest  one more than the highest rank in the file
/// @param asked    0: the user asks for none
/// @param lines    number of lines in the file that name ranks
/// Errors: invalid_input when there are no ranks; out_of_range. The message has no place in the
/// file.
[[nodiscard]] Result<std::size_t> imported_ranks(std::size_t highest, std::size_t asked,
                                                 std::size_t lines);

/// Makes a profile of messages alone: one phase, and nothing known about the ranks.
[[nodiscard]] Profile profile_of_messages(const MessageList& messages, std::size_t num_ranks);

}  // namespace commmap
