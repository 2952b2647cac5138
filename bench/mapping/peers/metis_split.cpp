// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/metis_split.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "peers/size_repair.hpp"

namespace commmap::peers {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "PeerGraph's arrays are given to METIS as such");

std::vector<idx_t> scaled_weights(const std::vector<std::uint64_t>& weights) {
    constexpr double most = 1 << 30;  // METIS adds weights up in idx_t
    const double sum =
        std::accumulate(weights.begin(), weights.end(), 0.0,
                        [](double a, std::uint64_t w) { return a + static_cast<double>(w); });
    const double factor = sum > most ? most / sum : 1.0;
    std::vector<idx_t> scaled(weights.size());
    std::transform(weights.begin(), weights.end(), scaled.begin(), [factor](std::uint64_t w) {
        return std::max(static_cast<idx_t>(static_cast<double>(w) * factor), idx_t{1});
    });
    return scaled;
}

std::vector<std::int32_t> filled_in_order(std::span<const std::int32_t> sizes) {
    std::vector<std::int32_t> part;
    for (std::size_t p = 0; p < sizes.size(); ++p) {
        part.insert(part.end(), static_cast<std::size_t>(sizes[p]), static_cast<std::int32_t>(p));
    }
    return part;
}

std::array<idx_t, METIS_NOPTIONS> metis_options(MetisForm form, std::uint64_t seed) {
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7FFFFFFFU);
    if (form == MetisForm::strong) {
        options[METIS_OPTION_UFACTOR] = 1;
        options[METIS_OPTION_NCUTS] = 8;
        options[METIS_OPTION_NITER] = 20;
    }
    return options;
}

std::vector<std::int32_t> about(const PeerGraph& graph, std::span<const std::int32_t> sizes,
                                MetisForm form, std::uint64_t seed) {
    auto options = metis_options(form, seed);
    std::vector<idx_t> weights = scaled_weights(graph.weights);
    std::vector<real_t> shares;
    for (const std::int32_t size : sizes) {
        shares.push_back(static_cast<real_t>(static_cast<double>(size) / graph.num_ranks()));
    }
    idx_t vertices = graph.num_ranks();
    idx_t constraints = 1;
    auto parts = static_cast<idx_t>(sizes.size());
    idx_t cut = 0;
    std::vector<idx_t> part(static_cast<std::size_t>(vertices));
    const auto partition = form == MetisForm::kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
    // METIS takes these two without const and does not write to them
    auto* xadj = const_cast<idx_t*>(graph.first.data());
    auto* adjncy = const_cast<idx_t*>(graph.neighbours.data());
    const int code =
        partition(&vertices, &constraints, xadj, adjncy, nullptr, nullptr, weights.data(), &parts,
                  shares.data(), nullptr, options.data(), &cut, part.data());
    if (code != METIS_OK) throw std::runtime_error("METIS says no, code " + std::to_string(code));
    return part;
}

}  // namespace

std::vector<std::int32_t> metis_split(const PeerGraph& graph, std::span<const std::int32_t> sizes,
                                      MetisForm form, std::uint64_t seed) {
    const bool nothing_to_choose =
        graph.weights.empty() || sizes.size() == static_cast<std::size_t>(graph.num_ranks());
    if (nothing_to_choose) return filled_in_order(sizes);
    std::vector<std::int32_t> part = about(graph, sizes, form, seed);
    repair_sizes(graph, sizes, part);
    return part;
}

}  // namespace commmap::peers
