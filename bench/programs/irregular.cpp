// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/bench_program.hpp"
#include "common/neighbour_exchange.hpp"

namespace commmap::bench {
namespace {

constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30U;

struct Edge {
    std::uint64_t vertex = 0;
    std::uint64_t weight = 0;
};
using Graph = std::vector<std::vector<Edge>>;

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& problem) {
    throw UsageError("graph '" + file + "', line " + std::to_string(line) + ": " + problem);
}

/// Next line that is not a comment; false at the end of the file.
bool next_line(std::istream& in, std::string& text, std::size_t& line) {
    while (std::getline(in, text)) {
        ++line;
        if (text.empty() || text.front() != '%') {
            return true;
        }
    }
    return false;
}

std::vector<std::uint64_t> read_numbers(const std::string& file, std::size_t line,
                                        const std::string& text) {
    std::istringstream in(text);
    std::vector<std::uint64_t> numbers;
    std::uint64_t number = 0;
    while (in >> number) {
        numbers.push_back(number);
    }
    if (!in.eof()) {
        fail(file, line, "not a list of whole numbers: '" + text + "'");
    }
    return numbers;
}

/// Weights must be the same in both directions: each edge is a swap of two messages.
void check_symmetry(const std::string& file, std::size_t line, const Graph& graph) {
    for (std::size_t from = 0; from < graph.size(); ++from) {
        for (const Edge& edge : graph[from]) {
            bool found = false;
            for (const Edge& back : graph[edge.vertex]) {
                found = found || (back.vertex == from && back.weight == edge.weight);
            }
            if (!found) {
                fail(file, line,
                     "the edge from vertex " + std::to_string(from + 1) + " to " +
                         std::to_string(edge.vertex + 1) + " has no equal one back");
            }
        }
    }
}

/// Reads the METIS graph format: header "vertices edges [fmt [ncon]]", then one line per vertex
/// with pairs "neighbour weight", neighbours counted from 1; lines with % are comments.
/// Source: METIS 5.1.0 manual, section 4.1.1.
Graph read_graph(const std::string& file) {
    std::ifstream in(file);
    std::string text;
    std::size_t line = 0;
    if (!in || !next_line(in, text, line)) {
        throw UsageError("cannot read the graph '" + file + "'");
    }
    const std::vector<std::uint64_t> header = read_numbers(file, line, text);
    if (header.size() < 2 || header.size() > 4) {
        fail(file, line, "the header is not 'vertices edges [fmt [ncon]]'");
    }
    const std::uint64_t format = header.size() > 2 ? header[2] : 0;
    const bool has_sizes = format / 100 % 10 == 1;
    const bool has_vertex_weights = format / 10 % 10 == 1;
    const bool has_edge_weights = format % 10 == 1;
    if (!has_edge_weights) {
        fail(file, line, "the graph has no edge weights (fmt 1), which are the message sizes");
    }
    const std::uint64_t constraints = header.size() > 3 ? header[3] : 1;
    const std::size_t skip = (has_sizes ? 1 : 0) + (has_vertex_weights ? constraints : 0);

    Graph graph;
    std::uint64_t ends = 0;
    while (graph.size() < header[0] && next_line(in, text, line)) {
        const std::vector<std::uint64_t> numbers = read_numbers(file, line, text);
        if (numbers.size() < skip || (numbers.size() - skip) % 2 != 0) {
            fail(file, line, "not a list of pairs 'neighbour weight'");
        }
        std::vector<Edge> edges;
        for (std::size_t i = skip; i < numbers.size(); i += 2) {
            if (numbers[i] < 1 || numbers[i] > header[0] || numbers[i] == graph.size() + 1) {
                fail(file, line, "vertex " + std::to_string(numbers[i]) + " cannot be a neighbour");
            }
            edges.push_back({numbers[i] - 1, numbers[i + 1]});
        }
        ends += edges.size();
        graph.push_back(std::move(edges));
    }
    if (graph.size() != header[0] || ends != 2 * header[1]) {
        fail(file, line,
             "the header promises " + std::to_string(header[0]) + " vertices and " +
                 std::to_string(header[1]) + " edges, the file has " +
                 std::to_string(graph.size()) + " and " + std::to_string(ends / 2));
    }
    check_symmetry(file, line, graph);
    return graph;
}

/// The edges of a graph are the messages: the ranks at both ends of an edge swap weight * scale
/// bytes once an iteration.
class IrregularProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "irregular"; }
    [[nodiscard]] std::string summary() const override {
        return "Exchange along the edges of a graph read from a file (METIS format)";
    }
    [[nodiscard]] bool has_message_bytes() const override { return false; }
    void add_options(CLI::App& app) override {
        app.add_option("graph", file_, "graph, one vertex per rank; edge weight = message bytes")
            ->required();
        app.add_option("--scale", scale_, "factor on all message sizes")
            ->check(CLI::Range(1e-9, 1e9))
            ->capture_default_str();
    }
    void prepare(RunContext& context) override;
    void iterate(std::uint64_t iteration) override { exchange_->run(iteration); }
    [[nodiscard]] std::uint64_t message_bytes() const override { return max_bytes_; }

private:
    [[nodiscard]] Graph read_on_all_ranks(const RunContext& context) const;
    [[nodiscard]] std::uint64_t bytes_of(const Edge& edge) const;

    std::string file_;
    double scale_ = 1;
    std::uint64_t max_bytes_ = 0;
    std::optional<NeighbourExchange> exchange_;
};

/// Every rank reads the file itself; when some rank cannot, all give up together.
Graph IrregularProgram::read_on_all_ranks(const RunContext& context) const {
    Graph graph;
    std::string problem;
    try {
        graph = read_graph(file_);
    } catch (const UsageError& error) {
        problem = error.what();
    }
    const int own = problem.empty() ? context.num_ranks() : context.rank();
    int first_failed = 0;
    MPI_Allreduce(&own, &first_failed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first_failed < context.num_ranks()) {
        throw UsageError(problem.empty() ? "rank " + std::to_string(first_failed) +
                                               " cannot read the graph '" + file_ + "'"
                                         : problem);
    }
    return graph;
}

std::uint64_t IrregularProgram::bytes_of(const Edge& edge) const {
    const double bytes = std::round(static_cast<double>(edge.weight) * scale_);
    if (bytes > static_cast<double>(max_message_bytes)) {
        throw UsageError("a message of " + std::to_string(edge.weight) +
                         " * --scale bytes is above " + std::to_string(max_message_bytes));
    }
    return static_cast<std::uint64_t>(bytes);
}

void IrregularProgram::prepare(RunContext& context) {
    const Graph graph = read_on_all_ranks(context);
    if (graph.size() != static_cast<std::size_t>(context.num_ranks())) {
        throw UsageError("graph '" + file_ + "' has " + std::to_string(graph.size()) +
                         " vertices, but the job has " + std::to_string(context.num_ranks()) +
                         " ranks");
    }
    for (const std::vector<Edge>& edges : graph) {
        for (const Edge& edge : edges) {
            max_bytes_ = std::max(max_bytes_, bytes_of(edge));
        }
    }
    std::vector<Neighbour> neighbours;
    for (const Edge& edge : graph[static_cast<std::size_t>(context.rank())]) {
        neighbours.push_back({static_cast<int>(edge.vertex), bytes_of(edge), 0, 0});
    }
    exchange_.emplace(context, std::move(neighbours));
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::IrregularProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
