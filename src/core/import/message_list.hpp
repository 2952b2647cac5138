#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Messages and bytes of a file, which all together fit into 64 bits: no sum of some of them wraps
/// round.
class ImportedSums {
public:
    /// Errors: out_of_range; without a place.
    [[nodiscard]] Status add(std::uint64_t count, std::uint64_t bytes);

private:
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

/// The messages of a phase as a file names them, in any order. Memory: 24 bytes for each that is
/// added.
class MessageList {
public:
    /// @param sums  of the whole file
    explicit MessageList(ImportedSums& sums) : sums_(&sums) {}

    /// With count == 0 nothing but the ranks is noted. Errors: out_of_range; without a place.
    /// @param source, destination  < max_profile_ranks
    [[nodiscard]] Status add(RankId source, RankId destination, std::uint64_t count,
                             std::uint64_t bytes);
    /// That there is such a rank.
    void note_rank(RankId rank);
    /// One above the highest that was noted.
    [[nodiscard]] std::size_t num_ranks() const { return num_ranks_; }
    /// As rows, each in the size bucket of its mean length.
    [[nodiscard]] TrafficMatrix rows(std::size_t num_ranks) const;

private:
    ImportedSums* sums_;
    std::vector<Message> messages_;
    std::size_t num_ranks_ = 0;
};

/// How many ranks a profile gets of a file that does not say it: so many that the highest is one
/// of them, or what the user asks for. Where nobody asks, a short file with a high rank is taken
/// for a damaged one: ranks cost memory, whether they send or not.
///
/// @param highest  one above the highest rank of the file
/// @param asked    0: nothing
/// @param lines    of the file that name ranks
/// Errors: invalid_input (no ranks), out_of_range; without a place.
[[nodiscard]] Result<std::size_t> imported_ranks(std::size_t highest, std::size_t asked,
                                                 std::size_t lines);

/// A profile of so many ranks of which nothing is known, and its only phase.
[[nodiscard]] Profile profile_of_messages(const MessageList& messages, std::size_t num_ranks);

}  // namespace commmap
