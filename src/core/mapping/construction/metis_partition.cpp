// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/metis_partition.hpp"

#include <fmt/core.h>
#include <metis.h>

#include <array>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

namespace commmap {

namespace {

static_assert(sizeof(idx_t) == sizeof(std::int32_t), "scale_weights() is made for a 32-bit idx_t");

Result<idx_t> to_idx(std::size_t number, const char* what) {
    if (!std::in_range<idx_t>(number)) {
        return Error{Errc::out_of_range, fmt::format("{} {} are too many for METIS", number, what)};
    }
    return static_cast<idx_t>(number);
}

const char* metis_message(int code) {
    switch (code) {
        case METIS_ERROR_INPUT:
            return "wrong input";
        case METIS_ERROR_MEMORY:
            return "out of memory";
        default:
            return "unknown error";
    }
}

}  // namespace

Result<std::vector<std::int32_t>> scale_weights(std::span<const std::uint64_t> weights) {
    constexpr double most = 1 << 30;  // METIS adds weights up in idx_t: keep the sum below 2^31
    if (static_cast<double>(weights.size()) > most) {
        return Error{Errc::out_of_range,
                     fmt::format("{} edges are too many for METIS", weights.size())};
    }
    double sum = 0.0;  // an integer could overflow: one pair may have nearly 2^64 bytes
    for (const std::uint64_t w : weights) sum += static_cast<double>(w);
    const double factor = sum > most ? most / sum : 1.0;
    std::vector<std::int32_t> scaled;
    scaled.reserve(weights.size());
    for (const std::uint64_t w : weights) {
        const double value = std::floor(static_cast<double>(w) * factor);
        const auto number = static_cast<std::int64_t>(value);
        if (!std::in_range<std::int32_t>(number)) {
            return Error{Errc::out_of_range, fmt::format("{} does not scale to 32 bits", w)};
        }
        scaled.push_back(w > 0 && number == 0 ? 1 : static_cast<std::int32_t>(number));
    }
    return scaled;
}

namespace {

/// The type of METIS_PartGraphKway and METIS_PartGraphRecursive.
using MetisCall = decltype(&METIS_PartGraphKway);

/// Calls METIS, one call at a time: METIS 5.1 reseeds rand() and swaps signal handlers while it
/// runs.
/// @param vertex_weights  empty: each vertex weighs 1
Result<std::vector<std::uint32_t>> call_metis(MetisCall partition, const WeightedGraph& graph,
                                              std::span<const std::uint32_t> vertex_weights,
                                              std::span<const std::uint32_t> part_weights,
                                              std::uint64_t seed) {
    const auto num_vertices = to_idx(graph.num_vertices(), "vertices");
    if (!num_vertices) return num_vertices.error();
    const auto num_edges = to_idx(graph.neighbours.size(), "edges");
    if (!num_edges) return num_edges.error();
    const auto num_parts = to_idx(part_weights.size(), "parts");
    if (!num_parts) return num_parts.error();
    auto weights = scale_weights(graph.weights);
    if (!weights) return weights.error();

    std::vector<idx_t> xadj;
    xadj.reserve(graph.first.size());
    for (const std::size_t f : graph.first) xadj.push_back(static_cast<idx_t>(f));  // <= num_edges
    std::vector<idx_t> adjncy;
    adjncy.reserve(graph.neighbours.size() + 1);
    for (const std::uint32_t n : graph.neighbours) adjncy.push_back(static_cast<idx_t>(n));
    std::vector<idx_t> adjwgt(weights.value().begin(), weights.value().end());
    for (idx_t& w : adjwgt) {
        if (w == 0) w = 1;  // METIS wants weights above 0
    }
    std::vector<idx_t> vwgt;
    vwgt.reserve(vertex_weights.size());
    for (const std::uint32_t weight : vertex_weights) {
        const auto number = to_idx(weight, "ranks in one vertex");
        if (!number) return number.error();
        vwgt.push_back(number.value());
    }
    double sum = 0.0;
    for (const std::uint32_t weight : part_weights) sum += static_cast<double>(weight);
    std::vector<real_t> tpwgts;
    tpwgts.reserve(part_weights.size());
    for (const std::uint32_t weight : part_weights)
        tpwgts.push_back(static_cast<real_t>(static_cast<double>(weight) / sum));

    idx_t n = num_vertices.value();
    idx_t k = num_parts.value();
    idx_t num_constraints = 1;
    idx_t cut = 0;
    std::vector<idx_t> part(graph.num_vertices(), 0);
    std::array<idx_t, METIS_NOPTIONS> options{};
    int code = METIS_OK;
    {
        static std::mutex one_at_a_time;
        const std::lock_guard lock(one_at_a_time);
        METIS_SetDefaultOptions(options.data());
        options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7FFFFFFFU);
        options[METIS_OPTION_NUMBERING] = 0;
        options[METIS_OPTION_UFACTOR] = 1;
        code = partition(&n, &num_constraints, xadj.data(), adjncy.data(),
                         vwgt.empty() ? nullptr : vwgt.data(), nullptr, adjwgt.data(), &k,
                         tpwgts.data(), nullptr, options.data(), &cut, part.data());
    }
    if (code != METIS_OK) {
        return Error{Errc::library, fmt::format("{}, code {}", metis_message(code), code)};
    }
    std::vector<std::uint32_t> result;
    result.reserve(part.size());
    for (const idx_t p : part) {
        if (p < 0 || p >= k) {
            return Error{Errc::library, fmt::format("METIS returned part {} of {}", p, k)};
        }
        result.push_back(static_cast<std::uint32_t>(p));
    }
    return result;
}

}  // namespace

Result<std::vector<std::uint32_t>> metis_partition(const WeightedGraph& graph,
                                                   std::span<const std::uint32_t> part_sizes,
                                                   std::uint64_t seed) {
    // Recursive bisection cuts less for few parts. For many parts k-way is faster and balances
    // better.
    constexpr std::size_t few_parts = 8;
    return call_metis(
        part_sizes.size() <= few_parts ? METIS_PartGraphRecursive : METIS_PartGraphKway, graph, {},
        part_sizes, seed);
}

Result<std::vector<std::uint32_t>> metis_bisections(const WeightedGraph& graph,
                                                    std::span<const std::uint32_t> vertex_weights,
                                                    std::span<const std::uint32_t> part_weights,
                                                    std::uint64_t seed) {
    return call_metis(METIS_PartGraphRecursive, graph, vertex_weights, part_weights, seed);
}

}  // namespace commmap
