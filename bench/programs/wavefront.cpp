// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/grid_options.hpp"
#include "common/message.hpp"
#include "common/process_grid.hpp"

namespace commmap::bench {
namespace {

/// Fronts that go from one corner of a grid to the opposite one: every rank waits for the messages
/// from above and from the left, then sends one down and one to the right. An iteration is
/// --fronts of them, one behind the other, and as many back, as in transport codes and NPB LU.
class WavefrontProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "wavefront"; }
    [[nodiscard]] std::string summary() const override {
        return "Sweeps over a 2-dimensional grid of ranks, from corner to corner";
    }
    void add_options(CLI::App& app) override {
        grid_.add_to(app, "4x4");
        app.add_option("--fronts", fronts_, "fronts of an iteration")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
    }
    void prepare(RunContext& context) override {
        context_ = &context;
        const ProcessGrid grid = grid_.grid(context.num_ranks(), dimensions);
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            before_.push_back(grid.neighbour(context.rank(), dimension, -1, false));
            behind_.push_back(grid.neighbour(context.rank(), dimension, +1, false));
        }
        message_.resize(context.options().message_bytes);
    }
    void iterate(std::uint64_t iteration) override {
        for (int front = 0; front < fronts_; ++front) {
            pass(before_, behind_, iteration, front);
        }
        for (int front = 0; front < fronts_; ++front) {
            pass(behind_, before_, iteration, fronts_ + front);
        }
    }
    [[nodiscard]] std::uint64_t message_bytes() const override { return message_.size(); }

private:
    static constexpr int dimensions = 2;

    /// @param from, to  a rank for each dimension; -1: none
    void pass(const std::vector<int>& from, const std::vector<int>& to, std::uint64_t iteration,
              int front) {
        const int self = context_->rank();
        const std::uint64_t seed = context_->options().seed;
        const auto bytes = static_cast<int>(message_.size());
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            const int peer = from[static_cast<std::size_t>(dimension)];
            if (peer < 0) {
                continue;
            }
            const int channel = front * dimensions + dimension;
            MPI_Recv(message_.data(), bytes, MPI_BYTE, peer, dimension, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            if (const auto offset = find_damage(message_, {seed, peer, self, channel, iteration})) {
                throw CheckError("message from rank " + std::to_string(peer) + " of iteration " +
                                 std::to_string(iteration) + " is wrong at byte " +
                                 std::to_string(*offset) + " of " + std::to_string(bytes));
            }
        }
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            const int peer = to[static_cast<std::size_t>(dimension)];
            if (peer < 0) {
                continue;
            }
            const int channel = front * dimensions + dimension;
            fill_message(message_, {seed, self, peer, channel, iteration});
            context_->damage_if_asked(message_);
            MPI_Send(message_.data(), bytes, MPI_BYTE, peer, dimension, MPI_COMM_WORLD);
        }
    }

    GridOptions grid_;
    int fronts_ = 4;
    std::vector<int> before_;  ///< rank above, rank to the left
    std::vector<int> behind_;
    std::vector<std::byte> message_;
    RunContext* context_ = nullptr;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::WavefrontProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
