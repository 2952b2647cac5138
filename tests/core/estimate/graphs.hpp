// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/profile/comm_graph.hpp"
#include "core/topology/sample_hct.hpp"

/// Graphs, trees and placements for the tests of estimate and mapping.
namespace commmap {

/// Returns a random graph. Two ranks exchange messages with probability `density`, of up to
/// `most_sizes` sizes. Of each size there are up to 9 messages with up to 100 kB together, which
/// may also be empty.
inline CommGraph random_graph(std::size_t num_ranks, double density, std::mt19937& random,
                              std::uint64_t most_sizes = 1) {
    std::uniform_real_distribution<double> chance(0.0, 1.0);
    std::uniform_int_distribution<std::uint64_t> count(1, 9);
    std::uniform_int_distribution<std::uint64_t> bytes(0, 100'000);
    std::vector<Message> messages;
    for (RankId a = 0; a < num_ranks; ++a) {
        for (RankId b = 0; b < num_ranks; ++b) {
            if (a == b || chance(random) > density) continue;
            const std::uint64_t sizes = most_sizes == 1 ? 1 : 1 + random() % most_sizes;
            for (std::uint64_t i = 0; i < sizes; ++i)
                messages.push_back({a, b, count(random), chance(random) < 0.1 ? 0 : bytes(random)});
        }
    }
    return CommGraph(num_ranks, std::move(messages));
}

/// Returns a tree with everything that the port cost looks at. Nodes of unequal size are below
/// unequal switches. Ports have latencies and curves, one has a higher maximum than one message
/// gets, and one switch is bounded. There are ten PUs: 3 + 1 | 2 + 4.
/// @param half_duplex  whether switch s1 and its node n1 have half-duplex links
inline Hct uneven_tree(bool half_duplex = false) {
    Port wide = sample_port(100e6, 20e3);
    wide.out.max_bandwidth_bytes_per_s = wide.in.max_bandwidth_bytes_per_s = 250e6;
    Port curved = sample_port(80e6, 5e3);
    curved.out.bandwidth = BandwidthCurve({{64, 10e6}, {4096, 60e6}, {65536, 80e6}});
    const Port pu = sample_port(2e9, 300.0);
    Port shared = wide;
    shared.half_duplex = half_duplex;
    SampleElement left{Level::switch_, shared, {}, "s1"};
    left.children = {sample_node("n0", 3, curved, pu), sample_node("n1", 1, shared, pu)};
    left.max_bandwidth_bytes_per_s = 300e6;
    SampleElement right{Level::switch_, curved, {}, "s2"};
    right.children = {sample_node("n2", 2, wide, pu), sample_node("n3", 4, curved, pu)};
    return sample_hct({Level::switch_, {}, {left, right}, "s0"});
}

/// Returns distinct PUs in random order.
inline std::vector<PuId> random_placement(std::size_t num_ranks, std::size_t num_pus,
                                          std::mt19937& random) {
    std::vector<PuId> pus(num_pus);
    std::iota(pus.begin(), pus.end(), 0U);
    std::shuffle(pus.begin(), pus.end(), random);
    pus.resize(num_ranks);
    return pus;
}

/// The ports of the path from PU a to PU b. They are found the slow way: by both PUs' paths to the
/// root, without their common part.
struct SlowPath {
    std::vector<ElementId> up;    ///< elements whose out port is used
    std::vector<ElementId> down;  ///< elements whose in port is used
    ElementId common = 0;
};
inline SlowPath slow_path(const Hct& hct, PuId a, PuId b) {
    const auto root_path = [&](PuId pu) {
        std::vector<ElementId> path;
        for (ElementId e = hct.pu(pu).element; e != no_id; e = hct.element(e).parent) {
            path.push_back(e);
        }
        return path;
    };
    SlowPath result;
    result.up = root_path(a);
    result.down = root_path(b);
    while (!result.up.empty() && !result.down.empty() && result.up.back() == result.down.back()) {
        result.common = result.up.back();
        result.up.pop_back();
        result.down.pop_back();
    }
    return result;
}

}  // namespace commmap
