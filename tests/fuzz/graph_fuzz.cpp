// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What `commmap map --graph` takes: the machine in the first three lines (tree, distances, PUs that
// may be used), then a graph in METIS's format; and the engine, with what came out.
#include <algorithm>
#include <array>
#include <vector>

#include "commmap/graph_file.hpp"
#include "commmap/map_ranks.hpp"
#include "core/text/text_lines.hpp"
#include "core/tree_mapping/objective.hpp"
#include "fuzz/fuzz_target.hpp"

namespace commmap::fuzz {
namespace {

constexpr std::uint32_t most_pus = 4096;  // a machine of 2^28 takes seconds, whatever the graph is

Result<MachineTree> read_machine(TextLines& lines) {
    const Error missing{Errc::invalid_input, "a line is missing"};
    if (!lines.next()) return missing;
    const auto arities = parse_arities(lines.line());
    if (!lines.next()) return missing;
    const auto distances = parse_distances(lines.line());
    if (!lines.next()) return missing;
    if (!arities) return arities.error();
    if (!distances) return distances.error();
    std::uint64_t pus = 1;
    for (const std::uint32_t arity : arities.value())
        pus = std::min<std::uint64_t>(pus * arity, most_pus + 1);
    if (pus > most_pus) return missing;
    auto whole = MachineTree::make(arities.value(), distances.value());
    if (!whole || lines.line().empty()) return whole;
    const auto available = parse_pus(lines.line(), whole.value().num_pus());
    if (!available) return available.error();
    return MachineTree::make(arities.value(), distances.value(), available.value());
}

void check(const RankMapping& mapping, const MachineTree& machine, std::size_t num_ranks,
           Objective objective) {
    require(mapping.pu_of_rank.size() == num_ranks, "not every rank has a PU");
    std::vector<PuId> pus = mapping.pu_of_rank;
    std::sort(pus.begin(), pus.end());
    require(std::adjacent_find(pus.begin(), pus.end()) == pus.end(), "two ranks on one PU");
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
        const auto allowed = machine.pus_of(mapping.bin_of_rank[rank]);
        require(
            std::find(allowed.begin(), allowed.end(), mapping.pu_of_rank[rank]) != allowed.end(),
            "a PU that may not be used");
    }
    require(
        judged(mapping.figures, objective) <= judged(mapping.candidates.front().figures, objective),
        "worse than ranks in order");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    const std::string_view text = fuzz::text_of(data, size);
    TextLines lines("input", text);
    const auto machine = fuzz::read_machine(lines);
    std::size_t begin = 0;
    for (int line = 0; line < 3 && begin != std::string_view::npos; ++line) {
        begin = text.find('\n', begin);
        if (begin != std::string_view::npos) ++begin;
    }
    const auto graph =
        parse_graph("input", begin == std::string_view::npos ? "" : text.substr(begin));
    if (!graph || !machine) return 0;
    ++fuzz::taken;
    MapSettings settings;
    settings.preset = Preset::fast;
    settings.objective =
        std::array{Objective::hop_bytes, Objective::port_cost, Objective::process_time}[size % 3];
    const auto mapping = map_ranks(graph.value(), machine.value(), settings);
    if (mapping)
        fuzz::check(mapping.value(), machine.value(), graph.value().num_vertices(),
                    settings.objective);
    return 0;
}
