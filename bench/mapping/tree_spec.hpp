// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace commmap::bench {

/// A machine as a tree whose groups of one height are all alike: PU p is in group
/// p / pus_of_group[h] of height h.
struct TreeSpec {
    std::vector<std::uint64_t>
        pus_of_group;                      ///< by height; [0] == 1, a PU; the last is the machine
    std::vector<std::uint64_t> distances;  ///< by height of the lowest common group; [0] == 0

    [[nodiscard]] std::size_t height() const { return pus_of_group.size() - 1; }
    [[nodiscard]] std::uint64_t num_pus() const { return pus_of_group.back(); }
    [[nodiscard]] std::uint64_t distance(std::uint64_t pu, std::uint64_t other) const {
        std::size_t h = 0;
        while (pu / pus_of_group[h] != other / pus_of_group[h]) ++h;
        return distances[h];
    }
};

/// @param tree       "8:2:8": 8 PUs in a group of height 1, 2 of these in one of height 2, ...; at
///                   most 2^27 PUs
/// @param distances  "1:10:100": of two PUs whose lowest common group has height 1, 2, ...; as many
///                   as groups, not decreasing, below 2^32
/// Throws InputError.
[[nodiscard]] TreeSpec read_tree_spec(const std::string& tree, const std::string& distances);

/// The PUs that may be used.
///
/// @param list  "0-63,70,80-99", in any order; empty: all
/// @return      by PU: whether it is in the list. Throws InputError.
[[nodiscard]] std::vector<bool> read_available(const std::string& list, std::uint64_t num_pus);

}  // namespace commmap::bench
