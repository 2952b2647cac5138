// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "stencil_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "graphs/graph.hpp"
#include "input_error.hpp"

namespace commmap::bench {
namespace {

/// All of `text`, split at `separator`, as numbers from `least` to `most`.
template <class Number>
std::vector<Number> numbers(std::string_view text, char separator, Number least, Number most,
                            const std::string& whole) {
    std::vector<Number> found;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        Number number = 0;
        const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, number);
        if (error != std::errc() || rest != text.data() + end || number < least || number > most)
            throw InputError("'" + whole + "' has '" +
                             std::string(text.substr(begin, end - begin)) + "': expected " +
                             std::to_string(least) + " to " + std::to_string(most));
        found.push_back(number);
        begin = end + 1;
    }
    return found;
}

StencilStep read_step(const std::string& text, const std::vector<std::uint32_t>& sides) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw InputError("'" + text + "' is no step like 1,0,0:64");
    const std::string_view all = text;
    constexpr int farthest = 1024;
    StencilStep step{numbers(all.substr(0, colon), ',', -farthest, farthest, text), 0};
    step.weight =
        numbers(all.substr(colon + 1), ',', std::uint64_t{1}, std::uint64_t{UINT32_MAX}, text)
            .front();
    if (step.offset.size() != sides.size())
        throw InputError("'" + text + "' has " + std::to_string(step.offset.size()) +
                         " offsets, the grid " + std::to_string(sides.size()) + " sides");
    for (std::size_t axis = 0; axis < sides.size(); ++axis) {
        if (static_cast<std::uint32_t>(std::abs(step.offset[axis])) >= sides[axis])
            throw InputError("'" + text + "' is longer than a side of the grid");
    }
    return step;
}

}  // namespace

Stencil read_stencil_spec(const std::string& sides, const std::vector<std::string>& steps,
                          bool periodic) {
    Stencil stencil{numbers(sides, 'x', std::uint32_t{1}, max_ranks, sides), periodic, {}};
    std::uint64_t ranks = 1;
    for (const std::uint32_t side : stencil.sides) {
        ranks *= side;
        if (ranks > max_ranks)
            throw InputError("'" + sides + "' has more than " + std::to_string(max_ranks) +
                             " ranks");
    }
    for (const std::string& step : steps) stencil.steps.push_back(read_step(step, stencil.sides));
    return stencil;
}

}  // namespace commmap::bench
