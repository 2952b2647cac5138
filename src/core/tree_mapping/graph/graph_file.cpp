// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/graph_file.hpp"

#include <fmt/core.h>

#include <cassert>
#include <utility>

#include "commmap/ids.hpp"
#include "core/base/file.hpp"
#include "core/base/number.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t max_file_bytes = std::uint64_t{64} << 30U;

struct GraphHeader {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    bool weighted = false;
    std::size_t line = 1;
};

bool is_comment(std::string_view line) { return line.starts_with('%'); }

Result<GraphHeader> graph_header(const TextLines& lines, std::size_t text_bytes) {
    Words words(lines.line());
    GraphHeader header;
    header.line = lines.number();
    for (std::uint64_t* number : {&header.vertices, &header.edges}) {
        const std::string_view word = words.next();
        const auto value = parse_number(word);
        if (!value)
            return lines.error("not 'vertices edges [format]': " + quoted_word(lines.line()));
        *number = *value;
    }
    const std::string_view format = words.next();
    // The last digit stands for weights of edges, the digit before for weights of vertices, and the
    // first of three for sizes of vertices.
    if (format.find_first_not_of("01") != std::string_view::npos || format.size() > 3)
        return lines.error(fmt::format("format {} is none of 0, 1, 001: whether edges have weights",
                                       quoted_word(format)));
    header.weighted = format.ends_with('1');
    if (format.size() > 1 && format.substr(0, format.size() - 1).find('1') != format.npos)
        return lines.error(fmt::format(
            "format {} has weights or sizes of vertices: a PU takes one rank, leave them out",
            quoted_word(format)));
    const std::string_view constraints = words.next();
    if ((!constraints.empty() && constraints != "0" && constraints != "1") || !words.next().empty())
        return lines.error("more than 'vertices edges format': " + quoted_word(lines.line()));
    // A wrong header must not cost memory. A vertex takes a line, and an end of an edge a word, so
    // the text bounds both numbers.
    if (header.vertices >= no_id || header.vertices > text_bytes)
        return lines.error(
            fmt::format("{} vertices are more than the file has lines for", header.vertices));
    if (header.edges > text_bytes / 4 + 1)
        return lines.error(fmt::format("{} edges are more than the file can hold", header.edges));
    return header;
}

/// Reads the lines behind the header, and checks the graph.
class GraphReader {
public:
    GraphReader(TextLines& lines, const GraphHeader& header) : lines_(lines), header_(header) {
        graph_.first.reserve(header.vertices + 1);
        graph_.neighbours.reserve(2 * header.edges);
        graph_.weights.reserve(2 * header.edges);
        line_of_.reserve(header.vertices);
        last_seen_.assign(header.vertices, no_id);
    }

    Result<WeightedGraph> read() {
        while (line_of_.size() < header_.vertices) {
            if (!lines_.next())
                return lines_.error(fmt::format("the file ends after {} of {} vertices",
                                                line_of_.size(), header_.vertices));
            if (is_comment(lines_.line())) continue;
            if (const Status read = read_vertex(); !read) return read.error();
        }
        while (lines_.next()) {
            if (!is_comment(lines_.line()) && !Words(lines_.line()).next().empty())
                return lines_.error(fmt::format("more lines than {} vertices", header_.vertices));
        }
        if (const Status symmetric = check_both_ends(); !symmetric) return symmetric.error();
        if (graph_.neighbours.size() != 2 * header_.edges)
            return error_in_line(lines_.name(), header_.line,
                                 fmt::format("says {} edges, there are {}", header_.edges,
                                             graph_.neighbours.size() / 2));
        return std::move(graph_);
    }

private:
    Status read_vertex() {
        const auto vertex = static_cast<std::uint32_t>(line_of_.size());
        Words words(lines_.line());
        for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
            const auto neighbour = parse_number(word);
            if (!neighbour || *neighbour == 0 || *neighbour > header_.vertices)
                return lines_.error(fmt::format("neighbour {} of vertex {} is none of 1 to {}",
                                                quoted_word(word), vertex + 1, header_.vertices));
            const auto peer = static_cast<std::uint32_t>(*neighbour - 1);
            if (peer == vertex)
                return lines_.error(fmt::format("vertex {} is its own neighbour", vertex + 1));
            if (last_seen_[peer] == vertex)
                return lines_.error(
                    fmt::format("vertex {} has neighbour {} twice", vertex + 1, peer + 1));
            last_seen_[peer] = vertex;
            const auto weight = next_weight(words);
            if (!weight) return weight.error();
            graph_.neighbours.push_back(peer);
            graph_.weights.push_back(weight.value());
        }
        graph_.first.push_back(graph_.neighbours.size());
        line_of_.push_back(lines_.number());
        return Ok{};
    }

    Result<std::uint64_t> next_weight(Words& words) {
        if (!header_.weighted) return std::uint64_t{1};
        const std::string_view word = words.next();
        const auto weight = parse_number(word);
        if (word.empty())
            return lines_.error(
                "the last neighbour has no weight: the first line says that "
                "edges have them");
        if (!weight)
            return lines_.error(
                fmt::format("weight {} is no whole number from 0 to 2^64 - 1", quoted_word(word)));
        if (*weight > UINT64_MAX - sum_)
            return lines_.error("the weights of all edges add up to 2^63 or more");
        sum_ += *weight;
        return *weight;
    }

    /// Checks that each edge is the same at both ends: the graph equals its transposed graph. The
    /// transposed graph replaces the graph, because its rows are sorted.
    [[nodiscard]] Status check_both_ends() {
        WeightedGraph reversed = transposed(graph_);
        if (!has_the_edges_of(reversed)) {
            graph_ = WeightedGraph();  // saves memory: there are never three graphs at once
            return first_difference(transposed(reversed), reversed);
        }
        graph_ = std::move(reversed);
        return Ok{};
    }

    /// Returns the error for the first edge at which the graphs differ.
    /// @pre the graphs differ, and their rows are sorted
    [[nodiscard]] Error first_difference(const WeightedGraph& sorted,
                                         const WeightedGraph& reversed) const {
        for (std::uint32_t v = 0;; ++v) {
            assert(v < reversed.num_vertices() && "they do not differ");
            std::size_t mine = sorted.first[v];
            std::size_t theirs = reversed.first[v];
            for (; mine < sorted.first[v + 1] && theirs < reversed.first[v + 1]; ++mine, ++theirs) {
                if (sorted.neighbours[mine] != reversed.neighbours[theirs]) break;
                if (sorted.weights[mine] != reversed.weights[theirs])
                    return one_sided(v, sorted.neighbours[mine], ", or with another weight");
            }
            const std::uint32_t a = mine < sorted.first[v + 1] ? sorted.neighbours[mine] : no_id;
            const std::uint32_t b =
                theirs < reversed.first[v + 1] ? reversed.neighbours[theirs] : no_id;
            if (a < b) return one_sided(v, a, "");
            if (b < a) return one_sided(b, v, "");
        }
    }

    /// Returns whether the rows of another graph have the same neighbours with the same weights.
    /// @pre no row of either graph has a neighbour twice
    [[nodiscard]] bool has_the_edges_of(const WeightedGraph& other) {
        if (graph_.first != other.first) return false;
        std::vector<std::uint64_t> weight(graph_.num_vertices());
        last_seen_.assign(graph_.num_vertices(), no_id);
        for (std::uint32_t v = 0; v < graph_.num_vertices(); ++v) {
            for (std::size_t i = graph_.first[v]; i < graph_.first[v + 1]; ++i) {
                last_seen_[graph_.neighbours[i]] = v;
                weight[graph_.neighbours[i]] = graph_.weights[i];
            }
            for (std::size_t i = other.first[v]; i < other.first[v + 1]; ++i) {
                const std::uint32_t peer = other.neighbours[i];
                if (last_seen_[peer] != v || weight[peer] != other.weights[i]) return false;
            }
        }
        return true;
    }

    [[nodiscard]] Error one_sided(std::uint32_t from, std::uint32_t to,
                                  const std::string& or_what) const {
        return error_in_line(
            lines_.name(), line_of_[from],
            fmt::format("vertex {} has neighbour {}, whose line does not have it{} (line {})",
                        from + 1, to + 1, or_what, line_of_[to]));
    }

    TextLines& lines_;
    GraphHeader header_;
    WeightedGraph graph_;
    std::vector<std::size_t> line_of_;      ///< by vertex, the number of its line
    std::vector<std::uint32_t> last_seen_;  ///< the last vertex that had this one as a neighbour
    std::uint64_t sum_ = 0;                 ///< of the weights at both ends of all edges
};

}  // namespace

Result<WeightedGraph> parse_graph(std::string_view name, std::string_view text) {
    TextLines lines(name, text);
    do {
        if (!lines.next())
            return error_in_line(name, 1, "no graph: the first line is 'vertices edges [format]'");
    } while (is_comment(lines.line()));
    const auto header = graph_header(lines, text.size());
    if (!header) return header.error();
    return GraphReader(lines, header.value()).read();
}

Result<WeightedGraph> read_graph_file(const std::string& path) {
    const auto text = read_file(path, max_file_bytes);
    if (!text) return text.error();
    return parse_graph(path, text.value());
}

}  // namespace commmap
