// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/machine_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/number.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

Status check(std::span<const std::uint32_t> arities, std::span<const std::uint64_t> distances) {
    if (arities.empty()) return Error{Errc::invalid_input, "a tree needs a level (example: 8:2:4)"};
    if (arities.size() > MachineTree::max_levels) {
        return Error{Errc::out_of_range, fmt::format("a tree of {} levels: {} are the most",
                                                     arities.size(), MachineTree::max_levels)};
    }
    std::uint64_t pus = 1;
    for (const std::uint32_t arity : arities) {
        if (arity == 0) return Error{Errc::invalid_input, "a group of 0 in a tree: at least 1"};
        pus *= arity;  // cannot overflow: both factors are below 2^32
        if (pus > MachineTree::max_pus) {
            return Error{
                Errc::out_of_range,
                fmt::format("a tree of more than {} PUs: that is the most", MachineTree::max_pus)};
        }
    }
    std::uint64_t groups = 1;
    std::uint64_t all_groups = 1;
    for (std::size_t height = arities.size() - 1; height > 0; --height)
        all_groups += groups *= arities[height];
    if (all_groups > MachineTree::max_groups) {
        return Error{Errc::out_of_range, fmt::format("a tree of {} groups: {} are the most",
                                                     all_groups, MachineTree::max_groups)};
    }
    if (distances.size() != arities.size()) {
        return Error{
            Errc::invalid_input,
            fmt::format("{} distances for {} levels: one for each, from the leaf level upwards",
                        distances.size(), arities.size())};
    }
    for (std::size_t h = 1; h < distances.size(); ++h) {
        if (distances[h] < distances[h - 1]) {
            return Error{Errc::invalid_input,
                         fmt::format("distance {} after {}: PUs are not nearer when less of the "
                                     "machine is common to them",
                                     distances[h], distances[h - 1])};
        }
    }
    return Ok{};
}

Status check_available(std::span<const std::uint32_t> arities, std::span<const PuId> available) {
    const std::uint32_t pus =
        std::accumulate(arities.begin(), arities.end(), 1U, std::multiplies<>());
    for (std::size_t i = 0; i < available.size(); ++i) {
        if (available[i] >= pus || (i > 0 && available[i] <= available[i - 1])) {
            return Error{Errc::invalid_input,
                         fmt::format("PU {} that may be used does not exist, or does not come "
                                     "behind the one before it",
                                     available[i])};
        }
    }
    return Ok{};
}

}  // namespace

Result<MachineTree> MachineTree::make(std::span<const std::uint32_t> arities,
                                      std::span<const std::uint64_t> distances,
                                      std::span<const PuId> available) {
    if (const Status ok = check(arities, distances); !ok) return ok.error();
    if (const Status ok = check_available(arities, available); !ok) return ok.error();
    const std::size_t height = arities.size();
    Shape shape;
    shape.distances.assign(distances.rbegin(), distances.rend());
    std::uint32_t groups = 1;
    for (std::size_t depth = 1; depth < height; ++depth) {
        const std::uint32_t arity = arities[height - depth];
        groups *= arity;
        std::vector<GroupId>& parents = shape.parents.emplace_back(groups);
        for (GroupId g = 0; g < groups; ++g) parents[g] = g / arity;
    }
    const std::uint32_t bin_size = arities[0];
    std::vector<std::uint32_t> capacity(groups, bin_size);
    std::vector<PuId> pus(available.begin(), available.end());
    if (available.empty()) {
        pus.resize(std::size_t{groups} * bin_size);
        std::iota(pus.begin(), pus.end(), PuId{0});
    } else {
        capacity.assign(groups, 0);
        for (const PuId pu : available) ++capacity[pu / bin_size];
    }
    MachineTree tree(shape, std::move(capacity), std::move(pus));
    // Paths always fit 64 bits here: 28 bits for PUs, and at most one bit more for each of 16
    // levels.
    static_cast<void>(tree.find_paths());
    return tree;
}

Result<MachineTree> MachineTree::of_shape(const Shape& shape) {
    if (shape.distances.size() > max_levels)
        return Error{Errc::out_of_range, fmt::format("a tree of {} levels: {} are the most",
                                                     shape.distances.size(), max_levels)};
    std::vector<std::uint32_t> capacity;
    std::vector<PuId> pus;
    for (const std::vector<PuId>& of_bin : shape.pus) {
        capacity.push_back(static_cast<std::uint32_t>(of_bin.size()));
        pus.insert(pus.end(), of_bin.begin(), of_bin.end());
    }
    MachineTree tree(shape, std::move(capacity), std::move(pus));
    if (const unsigned bits = tree.find_paths(); bits > 64)
        return Error{
            Errc::out_of_range,
            fmt::format("a tree whose levels' largest groups take {} bits: 64 are the most", bits)};
    return tree;
}

MachineTree::MachineTree(const Shape& shape, std::vector<std::uint32_t> capacity,
                         std::vector<PuId> pus)
    : levels_(shape.distances.size()), first_pu_(capacity.size()), pus_(std::move(pus)) {
    assert(shape.parents.size() + 1 == shape.distances.size() && "a distance for each level");
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
        levels_[depth].distance = shape.distances[depth];
        if (depth > 0) levels_[depth].parent = shape.parents[depth - 1];
    }
    std::exclusive_scan(capacity.begin(), capacity.end(), first_pu_.begin(), 0U);
    levels_.back().capacity = std::move(capacity);
    for (std::size_t depth = levels_.size() - 1; depth > 0; --depth) {
        const Level& level = levels_[depth];
        Level& above = levels_[depth - 1];
        const std::size_t groups = depth == 1 ? 1 : levels_[depth - 1].parent.size();
        above.capacity.assign(groups, 0);
        above.first_child.assign(groups + 1, 0);
        for (GroupId g = 0; g < level.capacity.size(); ++g) {
            above.capacity[level.parent[g]] += level.capacity[g];
            ++above.first_child[level.parent[g] + 1];
        }
        std::partial_sum(above.first_child.begin(), above.first_child.end(),
                         above.first_child.begin());
    }
}

/// Numbers the groups' paths. Each level gets as many bits as the children of its largest group
/// need.
/// @return  the number of bits; above 64 there are no paths
unsigned MachineTree::find_paths() {
    const Level& bins = levels_.back();
    distance_of_bits_.fill(static_cast<double>(levels_[0].distance));
    distance_of_bits_[64] = static_cast<double>(bins.distance);
    depth_of_bits_[64] = static_cast<std::uint8_t>(levels_.size() - 1);
    std::vector<unsigned> widths;
    unsigned shift = 0;
    for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth) {
        const std::vector<GroupId>& first = levels_[depth].first_child;
        GroupId most = 1;
        for (std::size_t g = 0; g + 1 < first.size(); ++g)
            most = std::max(most, first[g + 1] - first[g]);
        widths.push_back(static_cast<unsigned>(std::bit_width(most - 1)));
        shift += widths.back();
    }
    const unsigned bits = shift;
    if (bits > 64) return bits;
    paths_.assign(1, 0);
    for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth) {
        shift -= widths[depth];
        const std::vector<GroupId>& parent = levels_[depth + 1].parent;
        std::vector<Path> below(parent.size());
        for (GroupId g = 0; g < parent.size(); ++g) {
            below[g] = paths_[parent[g]];
            // A level of only children adds no bits. Its shift could be 64, which is undefined.
            if (widths[depth] > 0)
                below[g] |= Path{g - levels_[depth].first_child[parent[g]]} << shift;
        }
        paths_ = std::move(below);
        for (unsigned bit = shift; bit < shift + widths[depth]; ++bit) {
            distance_of_bits_[63 - bit] = static_cast<double>(levels_[depth].distance);
            depth_of_bits_[63 - bit] = static_cast<std::uint8_t>(depth);
        }
    }
    return bits;
}

namespace {

/// Reads numbers with colons in between. Returns nothing if a word is not a number up to `limit`.
std::optional<std::vector<std::uint64_t>> colon_list(std::string_view text, std::uint64_t limit) {
    std::vector<std::uint64_t> numbers;
    while (true) {
        const std::size_t colon = text.find(':');
        const auto number = parse_number(text.substr(0, colon));
        if (!number || *number > limit) return std::nullopt;
        numbers.push_back(*number);
        if (colon == std::string_view::npos) return numbers;
        text.remove_prefix(colon + 1);
    }
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_arities(std::string_view text) {
    const auto numbers = colon_list(text, MachineTree::max_pus);
    if (!numbers) {
        return Error{Errc::invalid_input,
                     quoted_word(text) +
                         " is no tree: the sizes of the groups from the leaf level upwards, with "
                         "colons in between (example: 8:2:4)"};
    }
    return std::vector<std::uint32_t>(numbers->begin(), numbers->end());
}

Result<std::vector<std::uint64_t>> parse_distances(std::string_view text) {
    auto numbers = colon_list(text, std::uint64_t{1} << 32U);
    if (!numbers) {
        return Error{
            Errc::invalid_input,
            quoted_word(text) +
                " are no distances: whole numbers up to 2^32, from the leaf level upwards, "
                "with colons in between (example: 1:10:100)"};
    }
    return *std::move(numbers);
}

Result<std::vector<PuId>> parse_pus(std::string_view text, std::uint32_t num_pus) {
    std::vector<bool> named(num_pus, false);
    Words words(text, ",");
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        const std::size_t dash = word.find('-');
        const auto first = parse_number(word.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_number(word.substr(dash + 1));
        if (!first || !last || *first > *last) {
            return Error{Errc::invalid_input,
                         quoted_word(word) + " is no PU and no range of PUs (example: 0-3,8)"};
        }
        if (*last >= num_pus) {
            return Error{
                Errc::out_of_range,
                fmt::format("PU {} does not exist: the machine has 0 to {}", *last, num_pus - 1)};
        }
        std::fill(named.begin() + static_cast<std::ptrdiff_t>(*first),
                  named.begin() + static_cast<std::ptrdiff_t>(*last) + 1, true);
    }
    std::vector<PuId> pus;
    for (PuId pu = 0; pu < num_pus; ++pu)
        if (named[pu]) pus.push_back(pu);
    if (pus.empty()) return Error{Errc::invalid_input, "no PU may be used (example: 0-3,8)"};
    return pus;
}

}  // namespace commmap
