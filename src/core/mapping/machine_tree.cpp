#include "core/mapping/machine_tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text_lines.hpp"

namespace commmap {
namespace {

Status check(std::span<const std::uint32_t> arities, std::span<const std::uint64_t> distances) {
    if (arities.empty()) return Error{Errc::invalid_input, "a tree needs a level (example: 8:2:4)"};
    if (arities.size() > MachineTree::max_levels) {
        return Error{Errc::out_of_range, "a tree of " + std::to_string(arities.size()) +
                                             " levels: " + std::to_string(MachineTree::max_levels) +
                                             " are the most"};
    }
    std::uint64_t pus = 1;
    for (const std::uint32_t arity : arities) {
        if (arity == 0) return Error{Errc::invalid_input, "a group of 0 in a tree: at least 1"};
        pus *= arity;  // both below 2^32
        if (pus > MachineTree::max_pus) {
            return Error{Errc::out_of_range, "a tree of more than " +
                                                 std::to_string(MachineTree::max_pus) +
                                                 " PUs: that is the most"};
        }
    }
    std::uint64_t groups = 1;
    std::uint64_t all_groups = 1;
    for (std::size_t height = arities.size() - 1; height > 0; --height)
        all_groups += groups *= arities[height];
    if (all_groups > MachineTree::max_groups) {
        return Error{Errc::out_of_range, "a tree of " + std::to_string(all_groups) +
                                             " groups: " + std::to_string(MachineTree::max_groups) +
                                             " are the most"};
    }
    if (distances.size() != arities.size()) {
        return Error{Errc::invalid_input, std::to_string(distances.size()) + " distances for " +
                                              std::to_string(arities.size()) +
                                              " levels: one for each, from the leaf level upwards"};
    }
    for (std::size_t h = 1; h < distances.size(); ++h) {
        if (distances[h] < distances[h - 1]) {
            return Error{Errc::invalid_input,
                         "distance " + std::to_string(distances[h]) + " after " +
                             std::to_string(distances[h - 1]) +
                             ": PUs are not nearer when less of the machine is common to them"};
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
                         "PU " + std::to_string(available[i]) +
                             " that may be used does not exist, or does not come behind the one "
                             "before it"};
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
    MachineTree tree;
    tree.levels_.resize(height);
    std::uint32_t groups = 1;
    unsigned bits = 0;  // of a path
    for (std::size_t depth = 0; depth < height; ++depth) {
        Level& level = tree.levels_[depth];
        const std::uint32_t arity = arities[height - 1 - depth];
        level.distance = distances[height - 1 - depth];
        level.capacity.assign(groups, 0);
        if (depth + 1 == height) break;
        level.first_child.resize(groups + 1);
        for (GroupId g = 0; g <= groups; ++g) level.first_child[g] = g * arity;
        groups *= arity;
        bits += static_cast<unsigned>(std::bit_width(arity - 1));
        std::vector<GroupId>& parent = tree.levels_[depth + 1].parent;
        parent.resize(groups);
        for (GroupId g = 0; g < groups; ++g) parent[g] = g / arity;
    }

    const std::uint32_t bin_size = arities[0];
    Level& bins = tree.levels_.back();
    if (available.empty()) {
        bins.capacity.assign(groups, bin_size);
        tree.pus_.resize(std::size_t{groups} * bin_size);
        std::iota(tree.pus_.begin(), tree.pus_.end(), PuId{0});
    } else {
        tree.pus_.assign(available.begin(), available.end());
        for (const PuId pu : available) ++bins.capacity[pu / bin_size];
    }
    tree.first_pu_.resize(groups);
    std::exclusive_scan(bins.capacity.begin(), bins.capacity.end(), tree.first_pu_.begin(), 0U);
    for (std::size_t depth = height - 1; depth > 0; --depth) {
        const Level& level = tree.levels_[depth];
        for (GroupId g = 0; g < level.capacity.size(); ++g)
            tree.levels_[depth - 1].capacity[level.parent[g]] += level.capacity[g];
    }

    tree.paths_.assign(groups, 0);
    tree.distance_of_bits_.fill(static_cast<double>(tree.levels_[0].distance));
    tree.distance_of_bits_[64] = static_cast<double>(bins.distance);
    tree.depth_of_bits_[64] = static_cast<std::uint8_t>(height - 1);
    std::uint32_t bins_below = groups;
    unsigned shift = bits;
    for (std::size_t depth = 0; depth + 1 < height; ++depth) {
        const std::uint32_t arity = arities[height - 1 - depth];
        const auto width = static_cast<unsigned>(std::bit_width(arity - 1));
        bins_below /= arity;
        shift -= width;
        for (GroupId bin = 0; bin < groups; ++bin)
            tree.paths_[bin] |= Path{bin / bins_below % arity} << shift;
        for (unsigned bit = shift; bit < shift + width; ++bit) {
            tree.distance_of_bits_[63 - bit] = static_cast<double>(tree.levels_[depth].distance);
            tree.depth_of_bits_[63 - bit] = static_cast<std::uint8_t>(depth);
        }
    }
    return tree;
}

namespace {

/// Numbers with colons in between; none: one of them is no number up to `limit`.
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
            return Error{Errc::out_of_range, "PU " + std::to_string(*last) +
                                                 " does not exist: the machine has 0 to " +
                                                 std::to_string(num_pus - 1)};
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
