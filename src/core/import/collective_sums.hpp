#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Adds up collectives that are read rank by rank to records of a profile.
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
        std::uint64_t calls = 0;  ///< the largest of the members
        std::uint64_t member_calls = 0;
        std::uint64_t member_bytes = 0;
        std::vector<RankId> members;   ///< that made calls, in the order of reading
        std::uint64_t last_calls = 0;  ///< of the last of those
    };

    /// All of a rank's calls before those of the next rank. Errors: out_of_range (more than 64 bits
    /// can count); without a place.
    [[nodiscard]] Status add(const Key& key, RankId rank, std::uint64_t calls, std::uint64_t bytes);
    [[nodiscard]] const std::map<Key, Sum>& sums() const { return sums_; }

private:
    std::map<Key, Sum> sums_;
};

/// As a record of the profile, on its communicator of that number.
[[nodiscard]] CollectiveRecord record_of(const CollectiveSums::Key& key,
                                         const CollectiveSums::Sum& sum,
                                         std::uint32_t communicator);

}  // namespace commmap
