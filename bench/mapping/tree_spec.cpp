// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "tree_spec.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "input_error.hpp"
#include "text_file.hpp"

namespace commmap::bench {
namespace {

constexpr std::uint64_t max_pus = std::uint64_t{1} << 27U;
constexpr std::uint64_t end_of_distances = std::uint64_t{1} << 32U;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t length = text.find(separator);
        parts.push_back(text.substr(0, length));
        if (length == std::string_view::npos) return parts;
        text.remove_prefix(length + 1);
    }
}

std::vector<std::uint64_t> read_numbers(const std::string& option, const std::string& text) {
    std::vector<std::uint64_t> numbers;
    for (const std::string_view part : split(text, ':')) {
        const auto number = read_number(part);
        if (!number)
            throw InputError(option + " '" + text + "': '" + std::string(part) +
                             "' is not a whole number (example: 8:2:8)");
        numbers.push_back(*number);
    }
    return numbers;
}

}  // namespace

TreeSpec read_tree_spec(const std::string& tree, const std::string& distances) {
    TreeSpec spec;
    spec.pus_of_group = {1};
    for (const std::uint64_t arity : read_numbers("--tree", tree)) {
        if (arity < 1 || arity > max_pus / spec.num_pus())
            throw InputError("--tree '" + tree + "' has an empty group or more than " +
                             std::to_string(max_pus) + " PUs");
        spec.pus_of_group.push_back(spec.num_pus() * arity);
    }
    spec.distances = {0};
    const auto numbers = read_numbers("--distances", distances);
    if (numbers.size() != spec.height())
        throw InputError("--distances '" + distances + "' has " + std::to_string(numbers.size()) +
                         " numbers, --tree '" + tree + "' has " + std::to_string(spec.height()));
    std::copy(numbers.begin(), numbers.end(), std::back_inserter(spec.distances));
    if (!std::is_sorted(numbers.begin(), numbers.end()) || numbers.back() >= end_of_distances)
        throw InputError("--distances '" + distances + "' decreases or reaches 2^32");
    return spec;
}

std::vector<bool> read_available(const std::string& list, std::uint64_t num_pus) {
    if (list.empty()) return std::vector<bool>(num_pus, true);
    std::vector<bool> available(num_pus, false);
    for (const std::string_view part : split(list, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = read_number(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : read_number(part.substr(dash + 1));
        if (!first || !last || *first > *last || *last >= num_pus)
            throw InputError("--available: '" + std::string(part) + "' is not a range of the " +
                             std::to_string(num_pus) + " PUs (example: 0-63,70)");
        std::fill(available.begin() + static_cast<std::ptrdiff_t>(*first),
                  available.begin() + static_cast<std::ptrdiff_t>(*last + 1), true);
    }
    return available;
}

}  // namespace commmap::bench
