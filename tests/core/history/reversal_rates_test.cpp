// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Simulated histories: how often the default comes back, rightly and wrongly. docs/user/history.md
// has the table that is printed here.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "core/history/program_history.hpp"
#include "core/history/records.hpp"

namespace commmap {
namespace {

/// Who runs when.
enum class Order { in_turn, default_first, by_chance };

/// Numbers that are the same on every machine: the standard's distributions are not.
class Noise {
public:
    explicit Noise(std::uint32_t seed) : random_(seed) {}
    double uniform() { return (static_cast<double>(random_()) + 0.5) / 4294967296.0; }
    double normal() {
        return std::sqrt(-2.0 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
    }

private:
    std::mt19937 random_;
};

struct Simulation {
    double noise = 0.0;   ///< one deviation of the logarithm of a wall time
    double slower = 0.0;  ///< 0.1: the placed runs take 10 % longer
    Order order = Order::in_turn;
    unsigned num_runs = 100;
    double stragglers = 0.0;  ///< share of runs that take up to several times as long
};

/// The share of histories in which the default came back.
double share_reversed(const Simulation& simulated, unsigned num_histories) {
    unsigned reversed = 0;
    for (unsigned history = 0; history < num_histories; ++history) {
        // of every noise other histories: the rule sees orders alone, which scaling leaves as they
        // are
        Noise noise(history * 7919 + static_cast<std::uint32_t>(1e6 * simulated.noise));
        ProgramHistory all("build-id:0a1b", 16);
        for (unsigned i = 0; i < simulated.num_runs; ++i) {
            bool placed = i % 2 == 1;
            if (simulated.order == Order::default_first) placed = i >= 8;
            if (simulated.order == Order::by_chance) placed = noise.uniform() < 0.7;
            double log_wall = simulated.noise * noise.normal();
            if (noise.uniform() < simulated.stragglers) log_wall -= 0.7 * std::log(noise.uniform());
            if (placed) log_wall += std::log1p(simulated.slower);
            all.add(
                some_record(placed ? LaunchedAs::placed : LaunchedAs::off, std::exp(log_wall), i));
        }
        const RunGroup& group = all.groups().front();
        if (!group.placed.empty() && group.placed.front().reversal) ++reversed;
    }
    return static_cast<double>(reversed) / num_histories;
}

TEST(ReversalRates, WrongReversalsAreFewerThanOnePercent) {
    for (const double noise : {0.05, 0.1, 0.15, 0.3}) {
        std::printf("noise %2.0f %%: wrong reversals in 100 runs", 100 * noise);
        for (const Order order : {Order::in_turn, Order::default_first, Order::by_chance}) {
            const double wrong = share_reversed({.noise = noise, .order = order}, 1500);
            std::printf("  %.2f %%", 100 * wrong);
            EXPECT_LT(wrong, 0.01) << noise;
        }
        const double stragglers = share_reversed({.noise = noise, .stragglers = 0.05}, 1000);
        std::printf("  with stragglers %.2f %%\n", 100 * stragglers);
        EXPECT_LT(stragglers, 0.01) << noise;
    }
}

TEST(ReversalRates, AFasterPlacementStays) {
    EXPECT_EQ(share_reversed({.noise = 0.15, .slower = -0.1}, 1000), 0.0);
}

TEST(ReversalRates, LossesAreFoundWithinSixteenRunsOfEach) {
    constexpr double losses[] = {0.05, 0.1, 0.2, 0.3, 0.5, 1.0};
    for (const double noise : {0.05, 0.1, 0.15, 0.3}) {
        std::printf("noise %2.0f %%: found within 16 of each", 100 * noise);
        for (const double loss : losses) {
            const double found =
                share_reversed({.noise = noise, .slower = loss, .num_runs = 32}, 800);
            std::printf("  %.0f %%: %.0f", 100 * loss, 100 * found);
        }
        std::printf("\n");
    }
    EXPECT_GE(share_reversed({.noise = 0.05, .slower = 0.1, .num_runs = 32}, 2000), 0.9);
    EXPECT_GE(share_reversed({.noise = 0.15, .slower = 0.3, .num_runs = 32}, 2000), 0.9);
}

}  // namespace
}  // namespace commmap
