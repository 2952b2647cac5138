// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/graph_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "input_error.hpp"
#include "text_file.hpp"

namespace commmap::bench {
namespace {

/// The lines of a file without its comments, and which one it is.
class GraphLines {
public:
    GraphLines(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

    std::optional<std::string_view> next() {
        std::optional<std::string_view> line;
        do {
            line = cut_line(rest_);
            ++number_;
        } while (line && line->starts_with('%'));
        return line;
    }
    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError("graph '" + path_ + "', line " + std::to_string(number_) + ": " + problem);
    }

private:
    const std::string& path_;
    std::string_view rest_;
    std::size_t number_ = 0;
};

/// Cuts the next number off the front of `line`; nothing at its end.
std::optional<std::uint64_t> cut_number(std::string_view& line, const GraphLines& lines) {
    const std::size_t blanks = line.find_first_not_of(" \t\r");
    if (blanks == std::string_view::npos) return std::nullopt;
    line.remove_prefix(blanks);
    std::uint64_t number = 0;
    const auto [next, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const auto length = static_cast<std::size_t>(next - line.data());
    if (error != std::errc() ||
        (length < line.size() && std::string_view(" \t\r").find(*next) == std::string_view::npos))
        lines.fail("not a whole number below 2^64: '" + std::string(line.substr(0, 40)) + "'");
    line.remove_prefix(length);
    return number;
}

struct Header {
    std::uint32_t ranks = 0;
    std::uint64_t edges = 0;
};

Header read_header(GraphLines& lines) {
    std::optional<std::string_view> line = lines.next();
    if (!line) lines.fail("the header 'ranks edges 001' is missing");
    const auto ranks = cut_number(*line, lines);
    const auto edges = cut_number(*line, lines);
    const auto format = cut_number(*line, lines);
    if (!ranks || !edges || format != 1 || cut_number(*line, lines))
        lines.fail("the header is not 'ranks edges 001' (weights of edges and nothing else)");
    if (*ranks > max_ranks)
        lines.fail(std::to_string(*ranks) + " ranks are more than " + std::to_string(max_ranks));
    return {static_cast<std::uint32_t>(*ranks), *edges};
}

void read_row(std::string_view line, std::uint32_t rank, std::uint32_t ranks,
              const GraphLines& lines, std::vector<Neighbour>& neighbours) {
    const std::size_t begin = neighbours.size();
    while (const auto number = cut_number(line, lines)) {
        const auto weight = cut_number(line, lines);
        if (!weight) lines.fail("the last neighbour has no weight");
        if (*number < 1 || *number > ranks || *number == std::uint64_t{rank} + 1)
            lines.fail("rank " + std::to_string(*number) + " cannot be a neighbour");
        if (*weight > max_edge_weight)
            lines.fail("the weight " + std::to_string(*weight) + " is above 2^63");
        neighbours.push_back({*weight, static_cast<std::uint32_t>(*number - 1)});
    }
    const std::span<Neighbour> row = std::span(neighbours).subspan(begin);
    const auto ascending = [](const Neighbour& a, const Neighbour& b) { return a.rank < b.rank; };
    if (!std::is_sorted(row.begin(), row.end(), ascending))
        std::sort(row.begin(), row.end(), ascending);
    const auto twice =
        std::adjacent_find(row.begin(), row.end(),
                           [](const Neighbour& a, const Neighbour& b) { return a.rank == b.rank; });
    if (twice != row.end())
        lines.fail("rank " + std::to_string(twice->rank + 1) + " is a neighbour twice");
}

/// Ranks look for their edges at the other ends in ascending order, which is the order in which
/// they stand there: the next that has not been met must be theirs. A lower rank that this one has
/// not met by its turn does not list it, and fails the same way.
void check_both_ends(const std::string& path, const Graph& graph) {
    std::vector<std::uint32_t> met(graph.num_ranks(), 0);  // neighbours, from the first on
    const auto fail = [&](std::uint32_t from, std::uint32_t to) {
        throw InputError("graph '" + path + "': the edge from rank " + std::to_string(from + 1) +
                         " to rank " + std::to_string(to + 1) + " has no equal one back");
    };
    for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank) {
        const auto row = graph.neighbours(rank);
        for (const Neighbour& to : row.subspan(met[rank])) {
            const auto back = graph.neighbours(to.rank);
            const std::size_t expected = met[to.rank]++;
            if (expected >= back.size() || back[expected].rank != rank ||
                back[expected].weight != to.weight)
                fail(rank, to.rank);
        }
    }
}

}  // namespace

Graph read_graph(const std::string& path) {
    const std::string text = read_text_file(path);
    GraphLines lines(path, text);
    const Header header = read_header(lines);
    std::vector<std::size_t> first{0};
    std::vector<Neighbour> neighbours;
    // what a wrong header claims must not be taken from the memory
    neighbours.reserve(std::min<std::uint64_t>(2 * header.edges, text.size() / 4));
    for (std::uint32_t rank = 0; rank < header.ranks; ++rank) {
        const auto line = lines.next();
        if (!line) lines.fail("the line of rank " + std::to_string(rank + 1) + " is missing");
        read_row(*line, rank, header.ranks, lines, neighbours);
        first.push_back(neighbours.size());
    }
    while (const auto line = lines.next())
        if (line->find_first_not_of(" \t\r") != std::string_view::npos)
            lines.fail("more lines than ranks");
    if (neighbours.size() % 2 != 0 || neighbours.size() / 2 != header.edges)
        throw InputError("graph '" + path + "': the header promises " +
                         std::to_string(header.edges) + " edges, the lines have " +
                         std::to_string(neighbours.size()) + " ends of edges");
    Graph graph(std::move(first), std::move(neighbours));
    check_both_ends(path, graph);
    return graph;
}

void write_graph(const std::string& path, const Graph& graph, std::string_view comment) {
    TextWriter out(path);
    out.put("% ");
    out.put(comment);
    out.put('\n');
    out.put(std::uint64_t{graph.num_ranks()});
    out.put(' ');
    out.put(std::uint64_t{graph.num_edges()});
    out.put(" 001\n");
    for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank) {
        char separator = 0;
        for (const Neighbour& to : graph.neighbours(rank)) {
            if (separator != 0) out.put(separator);
            separator = ' ';
            out.put(std::uint64_t{to.rank} + 1);
            out.put(separator);
            out.put(to.weight);
        }
        out.put('\n');
    }
    out.close();
}

}  // namespace commmap::bench
