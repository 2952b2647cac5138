// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/halo_program.hpp"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "common/process_grid.hpp"

namespace commmap::bench {

std::string HaloProgram::name() const { return "halo" + std::to_string(dimensions_) + "d"; }

std::string HaloProgram::summary() const {
    return "Halo exchange on a " + std::to_string(dimensions_) + "-dimensional grid of ranks";
}

void HaloProgram::add_options(CLI::App& app) {
    grid_.add_to(app, dimensions_ == 2 ? "4x4" : "2x2x4");
    app.add_flag("--periodic", periodic_, "the last cell of a row is a neighbour of the first");
    app.add_flag("--in-turn", in_turn_, "one dimension after the other, not all at once");
}

void HaloProgram::prepare(RunContext& context) {
    message_bytes_ = context.options().message_bytes;
    const ProcessGrid grid = grid_.grid(context.num_ranks(), dimensions_);
    std::vector<Neighbour> neighbours;
    for (int dimension = 0; dimension < dimensions_; ++dimension) {
        // What leaves to the left arrives from the right: with a periodic extent of 2 both
        // neighbours are the same rank, and only the channel tells the messages apart.
        const int to_left = 2 * dimension;
        const int to_right = 2 * dimension + 1;
        const int left = grid.neighbour(context.rank(), dimension, -1, periodic_);
        const int right = grid.neighbour(context.rank(), dimension, +1, periodic_);
        if (left >= 0) {
            neighbours.push_back({left, message_bytes_, to_left, to_right});
        }
        if (right >= 0) {
            neighbours.push_back({right, message_bytes_, to_right, to_left});
        }
        if (in_turn_) {
            exchanges_.emplace_back(context, std::exchange(neighbours, {}));
        }
    }
    if (!in_turn_) {
        exchanges_.emplace_back(context, std::move(neighbours));
    }
}

void HaloProgram::iterate(std::uint64_t iteration) {
    for (NeighbourExchange& exchange : exchanges_) {
        exchange.run(iteration);
    }
}

}  // namespace commmap::bench
