// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/node_runs.hpp"

#include <fmt/core.h>

#include "core/base/number.hpp"

namespace commmap {

std::string format_node_runs(std::span<const std::uint32_t> node_of_rank) {
    std::string text;
    for (std::size_t rank = 0; rank < node_of_rank.size();) {
        std::size_t end = rank + 1;
        while (end < node_of_rank.size() && node_of_rank[end] == node_of_rank[rank]) ++end;
        text += (text.empty() ? "" : ",") + std::to_string(node_of_rank[rank]);
        if (end - rank > 1) text += "x" + std::to_string(end - rank);
        rank = end;
    }
    return text;
}

Result<std::vector<std::uint32_t>> parse_node_runs(std::string_view text) {
    constexpr std::size_t most_ranks = std::size_t{1} << 22;
    std::vector<std::uint32_t> nodes;
    for (;;) {
        const auto comma = text.find(',');
        const std::string_view run = text.substr(0, comma);
        const auto times = run.find('x');
        const auto node = parse_number(run.substr(0, times));
        const auto count = times == std::string_view::npos ? std::optional<std::uint64_t>(1)
                                                           : parse_number(run.substr(times + 1));
        if (!node || *node > UINT32_MAX || !count || *count == 0 ||
            *count > most_ranks - nodes.size()) {
            return Error{Errc::invalid_input,
                         fmt::format("'{}' is not a node of some ranks, such as 3 or 3x2",
                                     run.substr(0, 40))};
        }
        nodes.insert(nodes.end(), *count, static_cast<std::uint32_t>(*node));
        if (comma == std::string_view::npos) return nodes;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace commmap
