// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/launch_formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "core/plan_reply/cpu_set_table.hpp"
#include "core/text/node_runs.hpp"

namespace commmap {

std::string slurm_hostfile(const Hct& hct, Placement placement) {
    std::string text;
    for (const PuId pu : placement) text += hct.node(hct.pu(pu).node).name + '\n';
    return text;
}

std::string open_mpi_rankfile(const Hct& hct, Placement placement) {
    // Open MPI counts cores, not PUs. So this loop numbers the PUs' parents on each node, or the
    // PUs where cores are folded into PUs.
    std::vector<std::size_t> core_of_pu(hct.num_pus());
    for (NodeId id = 0; id < hct.num_nodes(); ++id) {
        const NodeInfo& node = hct.node(id);
        std::size_t core = 0;
        for (PuId pu = node.first_pu; pu < node.first_pu + node.num_pus; ++pu) {
            const ElementId parent = hct.element(hct.pu(pu).element).parent;
            const bool same_core = pu > node.first_pu && hct.element(parent).level == Level::core &&
                                   parent == hct.element(hct.pu(pu - 1).element).parent;
            if (pu > node.first_pu && !same_core) ++core;
            core_of_pu[pu] = core;
        }
    }
    std::string text;
    for (std::size_t rank = 0; rank < placement.size(); ++rank) {
        text +=
            fmt::format("rank {}={} slot={}\n", rank, hct.node(hct.pu(placement[rank]).node).name,
                        core_of_pu[placement[rank]]);
    }
    return text;
}

std::string node_order(const Hct& hct, Placement placement) {
    std::vector<NodeId> nodes;
    nodes.reserve(placement.size());
    for (const PuId pu : placement) nodes.push_back(hct.pu(pu).node);
    return format_node_runs(nodes);
}

std::vector<std::uint32_t> cpu_set_of_rank(const Hct& hct, Placement placement) {
    std::vector<PuId> used(placement.begin(), placement.end());
    std::sort(used.begin(), used.end());  // PUs of a node are consecutive
    std::vector<std::uint32_t> cpu_sets;
    cpu_sets.reserve(placement.size());
    for (const PuId pu : placement) {
        const auto place = std::lower_bound(used.begin(), used.end(), pu);
        const auto first =
            std::lower_bound(used.begin(), place, hct.node(hct.pu(pu).node).first_pu);
        cpu_sets.push_back(static_cast<std::uint32_t>(place - first));
    }
    return cpu_sets;
}

std::string cpu_set_patterns(const Hct& hct, Placement placement) {
    const std::vector<std::uint32_t> cpu_sets = cpu_set_of_rank(hct, placement);
    std::vector<CpuSetTable::Pattern> of_node(hct.num_nodes());
    for (std::size_t rank = 0; rank < placement.size(); ++rank)
        of_node[hct.pu(placement[rank]).node].push_back(cpu_sets[rank]);
    return CpuSetTable::of_nodes(of_node).text();
}

Result<std::vector<PuId>> placement_from_hostfile(const std::string& text, const Hct& hct,
                                                  std::span<const PuId> candidate_pus,
                                                  std::size_t num_ranks) {
    std::map<std::string, NodeId, std::less<>> node_of;
    for (NodeId node = 0; node < hct.num_nodes(); ++node)
        node_of.emplace(hct.node(node).name, node);
    std::vector<std::vector<PuId>> free(hct.num_nodes());
    for (const PuId pu : candidate_pus) free[hct.pu(pu).node].push_back(pu);
    for (auto& pus : free) std::reverse(pus.begin(), pus.end());

    std::vector<PuId> placement;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        line.erase(std::find(line.begin(), line.end(), '#'), line.end());
        line.erase(std::remove_if(line.begin(), line.end(),
                                  [](char c) { return c == ' ' || c == '\t' || c == '\r'; }),
                   line.end());
        if (line.empty()) continue;
        const auto found = node_of.find(line);
        const auto refuse = [&](const std::string& why) {
            return Error{Errc::invalid_input, fmt::format("line {}: {}", number, why)};
        };
        if (found == node_of.end())
            return refuse(fmt::format("node '{}' is not in the allocation", line));
        auto& pus = free[found->second];
        if (pus.empty())
            return refuse(fmt::format("more ranks on '{}' than the job has tasks there", line));
        placement.push_back(pus.back());
        pus.pop_back();
    }
    if (placement.size() != num_ranks) {
        return Error{Errc::invalid_input,
                     fmt::format("{} host names for {} ranks", placement.size(), num_ranks)};
    }
    return placement;
}

}  // namespace commmap
