// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Adds up collectives that a file lists rank by rank, until they are records of a profile.
class CollectiveSums {
public:
    struct Key {
        std::uint32_t phase = 0;
        std::uint32_t communicator = 0;  ///< the importer's number of it
        CollectiveOp op = CollectiveOp::barrier;
        RankId root = no_id;
        bool in_peer_traffic = false;
        auto operator<=>(const Key&) const = default;
    };
    struct Sum {
        std::uint64_t calls = 0;  ///< the largest of the members' counts
        std::uint64_t member_calls = 0;
        std::uint64_t member_bytes = 0;
        /// members that made calls, in the order in which they were read
        std::vector<RankId> members;
        std::uint64_t last_calls = 0;  ///< calls of the last of these members
    };

    /// Adds calls of a rank. All calls of a rank come before those of the next rank.
    /// Errors: out_of_range when a sum exceeds 64 bits. The message has no place in the file.
    [[nodiscard]] Status add(const Key& key, RankId rank, std::uint64_t calls, std::uint64_t bytes);
    [[nodiscard]] const std::map<Key, Sum>& sums() const { return sums_; }

private:
    std::map<Key, Sum> sums_;
};

/// Makes a record of a profile, on the profile's communicator with this number.
[[nodiscard]] CollectiveRecord record_of(const CollectiveSums::Key& key,
                                         const CollectiveSums::Sum& sum,
                                         std::uint32_t communicator);

}  // namespace commmap
