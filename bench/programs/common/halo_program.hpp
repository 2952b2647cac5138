// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/grid_options.hpp"
#include "common/neighbour_exchange.hpp"

namespace commmap::bench {

/// Halo exchange of a regular grid: every rank swaps one message with each of its 2 * dimensions
/// face neighbours. All at once, or one dimension after the other with a wait after each.
class HaloProgram : public BenchProgram {
public:
    explicit HaloProgram(int dimensions) : dimensions_(dimensions) {}

    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::string summary() const override;
    void add_options(CLI::App& app) override;
    void prepare(RunContext& context) override;
    void iterate(std::uint64_t iteration) override;
    [[nodiscard]] std::uint64_t message_bytes() const override { return message_bytes_; }

private:
    int dimensions_;
    GridOptions grid_;
    bool periodic_ = false;
    bool in_turn_ = false;
    std::uint64_t message_bytes_ = 0;
    std::vector<NeighbourExchange> exchanges_;  ///< one after the other
};

}  // namespace commmap::bench
