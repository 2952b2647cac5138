// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/pu_groups.hpp"

#include <algorithm>

namespace commmap::peers {

std::vector<std::span<const std::int32_t>> split_by_child(const bench::TreeSpec& tree,
                                                          std::span<const std::int32_t> pus,
                                                          std::size_t height) {
    const auto size = static_cast<std::int64_t>(tree.pus_of_group[height - 1]);
    std::vector<std::span<const std::int32_t>> children;
    for (auto begin = pus.begin(); begin != pus.end();) {
        const auto end = std::lower_bound(begin, pus.end(), (*begin / size + 1) * size);
        children.emplace_back(begin, end);
        begin = end;
    }
    return children;
}

}  // namespace commmap::peers
