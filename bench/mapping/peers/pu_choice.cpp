// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/pu_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>

#include "input_error.hpp"
#include "peers/pu_groups.hpp"

namespace commmap::peers {
namespace {

using Pus = std::span<const std::int32_t>;

/// How many of `wanted` each group gets: its share by capacity, the largest remainders rounded up.
std::vector<std::uint64_t> shares(const std::vector<std::uint64_t>& capacities,
                                  std::uint64_t wanted) {
    const auto all = std::accumulate(capacities.begin(), capacities.end(), std::uint64_t{0});
    std::vector<std::uint64_t> share(capacities.size());
    std::vector<std::uint64_t> remainder(capacities.size());
    for (std::size_t i = 0; i < share.size(); ++i) {
        share[i] = wanted * capacities[i] / all;
        remainder[i] = wanted * capacities[i] % all;
    }
    std::vector<std::size_t> order(share.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
    const auto given = std::accumulate(share.begin(), share.end(), std::uint64_t{0});
    for (std::uint64_t i = 0; i < wanted - given; ++i) ++share[order[i]];
    return share;
}

void spread(const bench::TreeSpec& tree, Pus pus, std::size_t height, std::uint64_t wanted,
            std::vector<std::int32_t>& chosen) {
    if (height == 1) {
        const Pus first = pus.first(wanted);
        chosen.insert(chosen.end(), first.begin(), first.end());
        return;
    }
    const auto children = split_by_child(tree, pus, height);
    std::vector<std::uint64_t> capacities;
    for (const Pus child : children) capacities.push_back(child.size());
    const auto share = shares(capacities, wanted);
    for (std::size_t i = 0; i < children.size(); ++i)
        spread(tree, children[i], height - 1, share[i], chosen);
}

}  // namespace

std::vector<std::int32_t> choose_pus(const bench::TreeSpec& tree,
                                     const std::vector<bool>& available, std::int32_t ranks,
                                     Filling filling) {
    std::vector<std::int32_t> pus;
    for (std::size_t pu = 0; pu < available.size(); ++pu)
        if (available[pu]) pus.push_back(static_cast<std::int32_t>(pu));
    const auto wanted = static_cast<std::size_t>(ranks);
    if (wanted > pus.size())
        throw bench::InputError(std::to_string(ranks) + " ranks are more than the " +
                                std::to_string(pus.size()) + " PUs");
    std::vector<std::int32_t> chosen;
    if (filling == Filling::block) {
        const Pus first = Pus(pus).first(wanted);
        chosen.assign(first.begin(), first.end());
    } else if (ranks > 0) {
        spread(tree, pus, tree.height(), wanted, chosen);
    }
    return chosen;
}

}  // namespace commmap::peers
