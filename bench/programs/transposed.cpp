// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/bench_program.hpp"
#include "common/grid_options.hpp"
#include "common/neighbour_exchange.hpp"
#include "common/process_grid.hpp"

namespace commmap::bench {
namespace {

/// Two phases with transposed halos, as of a solver that works along the rows of a grid and then
/// along its columns: --exchanges swaps with both neighbours in the row, then as many in the
/// column. The two phases share no message, and want other ranks on one node.
class TransposedProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "transposed"; }
    [[nodiscard]] std::string summary() const override {
        return "Halo exchanges along the rows of a grid of ranks, then along its columns";
    }
    void add_options(CLI::App& app) override {
        grid_.add_to(app, "4x4");
        app.add_option("--exchanges", exchanges_, "swaps of a phase")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
    }
    void prepare(RunContext& context) override {
        bytes_ = context.options().message_bytes;
        const ProcessGrid grid = grid_.grid(context.num_ranks(), 2);
        for (const int dimension : {1, 0}) {  // the last one varies fastest: rows first
            const int to_before = 2 * dimension;
            const int to_behind = 2 * dimension + 1;
            std::vector<Neighbour> neighbours;
            const int before = grid.neighbour(context.rank(), dimension, -1, true);
            const int behind = grid.neighbour(context.rank(), dimension, +1, true);
            if (before >= 0) {
                neighbours.push_back({before, bytes_, to_before, to_behind});
                neighbours.push_back({behind, bytes_, to_behind, to_before});
            }
            phases_.emplace_back(context, std::move(neighbours));
        }
    }
    void iterate(std::uint64_t iteration) override {
        for (NeighbourExchange& phase : phases_) {
            for (int i = 0; i < exchanges_; ++i) {
                phase.run(iteration * static_cast<std::uint64_t>(exchanges_) +
                          static_cast<std::uint64_t>(i));
            }
        }
    }
    [[nodiscard]] std::uint64_t message_bytes() const override { return bytes_; }

private:
    GridOptions grid_;
    int exchanges_ = 4;
    std::uint64_t bytes_ = 0;
    std::vector<NeighbourExchange> phases_;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::TransposedProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
