// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/round_order.hpp"

#include <algorithm>

namespace commmap {
namespace {

constexpr std::size_t most = 255;  ///< the largest length and distance

struct Copy {
    std::size_t length = 0;
    std::size_t distance = 0;
};

/// Finds the longest earlier piece that equals what comes next; of several, the nearest.
Copy longest_copy(const std::vector<std::uint8_t>& order, std::size_t at) {
    Copy best;
    for (std::size_t distance = 1; distance <= std::min(at, most); ++distance) {
        std::size_t length = 0;
        while (at + length < order.size() && length < most &&
               order[at + length] == order[at + length - distance])
            ++length;
        if (length > best.length) best = {length, distance};
        if (length == most) break;
    }
    return best;
}

}  // namespace

std::string encode_order(const std::vector<std::uint8_t>& order) {
    constexpr std::size_t worth_it = 3;  // a piece takes two bytes
    std::string text;
    std::string as_it_is;
    const auto piece = [&text](std::size_t length, std::size_t distance) {
        text += static_cast<char>(length);
        text += static_cast<char>(distance);
    };
    const auto flush = [&] {
        if (as_it_is.empty()) return;
        piece(as_it_is.size(), 0);
        text += as_it_is;
        as_it_is.clear();
    };
    for (std::size_t at = 0; at < order.size();) {
        const Copy copy = longest_copy(order, at);
        if (copy.length >= worth_it) {
            flush();
            piece(copy.length, copy.distance);
            at += copy.length;
            continue;
        }
        as_it_is += static_cast<char>(order[at++]);
        if (as_it_is.size() == most) flush();
    }
    flush();
    return text;
}

std::optional<std::vector<std::uint8_t>> decode_order(std::string_view text,
                                                      std::size_t most_rounds) {
    std::vector<std::uint8_t> order;
    while (!text.empty()) {
        if (text.size() < 2) return std::nullopt;
        const std::size_t length = static_cast<std::uint8_t>(text[0]);
        const std::size_t distance = static_cast<std::uint8_t>(text[1]);
        text.remove_prefix(2);
        if (length == 0 || length > most_rounds - order.size() || distance > order.size() ||
            (distance == 0 && length > text.size()))
            return std::nullopt;
        if (distance == 0) {
            order.insert(order.end(), text.begin(),
                         text.begin() + static_cast<std::ptrdiff_t>(length));
            text.remove_prefix(length);
            continue;
        }
        for (std::size_t i = 0; i < length; ++i) order.push_back(order[order.size() - distance]);
    }
    return order;
}

}  // namespace commmap
