#include "peers/pu_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace commmap::peers {
namespace {

template <class Number>
Number parse_number(std::string_view text, const char* option) {
    Number number{};
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || stop != text.data() + text.size() || number < 0) {
        throw std::runtime_error(std::string(option) + ": '" + std::string(text) +
                                 "' is no number");
    }
    return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        pieces.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return pieces;
}

/// How many of `wanted` each group gets: its share by capacity, the largest remainders rounded up.
std::vector<std::int64_t> shares(const std::vector<std::int64_t>& capacities, std::int64_t wanted) {
    const std::int64_t all = std::accumulate(capacities.begin(), capacities.end(), std::int64_t{0});
    std::vector<std::int64_t> share(capacities.size());
    std::vector<std::int64_t> remainder(capacities.size());
    for (std::size_t i = 0; i < share.size(); ++i) {
        share[i] = wanted * capacities[i] / all;
        remainder[i] = wanted * capacities[i] % all;
    }
    std::vector<std::size_t> order(share.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
    const std::int64_t given = std::accumulate(share.begin(), share.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < wanted - given; ++i) ++share[order[static_cast<std::size_t>(i)]];
    return share;
}

void spread(const PuTree& tree, std::span<const std::int32_t> pus, int height, std::int64_t wanted,
            std::vector<std::int32_t>& chosen) {
    if (height == 1) {
        chosen.insert(chosen.end(), pus.begin(), pus.begin() + wanted);
        return;
    }
    const auto children = split_by_child(tree, pus, height);
    std::vector<std::int64_t> capacities;
    for (const auto child : children) capacities.push_back(static_cast<std::int64_t>(child.size()));
    const auto share = shares(capacities, wanted);
    for (std::size_t i = 0; i < children.size(); ++i)
        spread(tree, children[i], height - 1, share[i], chosen);
}

}  // namespace

std::int32_t PuTree::pus_below(int height) const {
    return std::accumulate(arities.begin(), arities.begin() + height, std::int32_t{1},
                           std::multiplies<>{});
}

std::uint64_t PuTree::distance(std::int32_t pu, std::int32_t other) const {
    std::uint64_t distance = 0;
    for (std::size_t h = 0; pu != other; ++h) {
        distance = distances[h];
        pu /= arities[h];
        other /= arities[h];
    }
    return distance;
}

PuTree parse_tree(const std::string& arities, const std::string& distances) {
    PuTree tree;
    std::int64_t pus = 1;
    for (const auto piece : split(arities, ':')) {
        tree.arities.push_back(parse_number<std::int32_t>(piece, "--tree"));
        pus *= tree.arities.back();
        if (pus < 1 || pus > std::numeric_limits<std::int32_t>::max())
            throw std::runtime_error("--tree: '" + arities + "' has no PUs, or 2^31 and more");
    }
    for (const auto piece : split(distances, ':'))
        tree.distances.push_back(parse_number<std::uint64_t>(piece, "--distances"));
    if (tree.distances.size() != tree.arities.size() ||
        !std::is_sorted(tree.distances.begin(), tree.distances.end())) {
        throw std::runtime_error("--distances: '" + distances + "' is not one for each of '" +
                                 arities + "', or they decrease");
    }
    return tree;
}

std::vector<std::int32_t> parse_pus(const std::string& text, std::int32_t num_pus) {
    std::vector<std::int32_t> pus;
    if (text.empty()) {
        pus.resize(static_cast<std::size_t>(num_pus));
        std::iota(pus.begin(), pus.end(), 0);
        return pus;
    }
    for (const auto piece : split(text, ',')) {
        const auto ends = split(piece, '-');
        const auto from = parse_number<std::int32_t>(ends.front(), "--available");
        const auto to = parse_number<std::int32_t>(ends.back(), "--available");
        if (ends.size() > 2 || from > to || to >= num_pus) {
            throw std::runtime_error("--available: '" + std::string(piece) +
                                     "' is no range of PUs below " + std::to_string(num_pus));
        }
        for (std::int32_t pu = from; pu <= to; ++pu) pus.push_back(pu);
    }
    std::sort(pus.begin(), pus.end());
    pus.erase(std::unique(pus.begin(), pus.end()), pus.end());
    return pus;
}

std::vector<std::int32_t> choose_pus(const PuTree& tree, std::span<const std::int32_t> available,
                                     std::int32_t ranks, Filling filling) {
    if (static_cast<std::size_t>(ranks) > available.size()) {
        throw std::runtime_error(std::to_string(ranks) + " ranks are more than the " +
                                 std::to_string(available.size()) + " PUs");
    }
    std::vector<std::int32_t> chosen;
    if (filling == Filling::block) {
        chosen.assign(available.begin(), available.begin() + ranks);
    } else if (ranks > 0) {
        spread(tree, available, tree.height(), ranks, chosen);
    }
    return chosen;
}

std::vector<std::span<const std::int32_t>> split_by_child(const PuTree& tree,
                                                          std::span<const std::int32_t> pus,
                                                          int height) {
    const std::int32_t size = tree.pus_below(height - 1);
    std::vector<std::span<const std::int32_t>> children;
    for (auto begin = pus.begin(); begin != pus.end();) {
        const std::int64_t next = (std::int64_t{*begin} / size + 1) * size;
        const auto end = std::lower_bound(begin, pus.end(), next);
        children.emplace_back(begin, end);
        begin = end;
    }
    return children;
}

}  // namespace commmap::peers
