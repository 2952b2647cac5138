// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Mappings that look at no message: what a launcher does unasked, and chance.
#include <algorithm>
#include <cstddef>
#include <random>

#include "peers/peer_program.hpp"

namespace commmap::peers {
namespace {

/// Of the groups that ranks go round: nodes, of packages of PUs.
constexpr std::size_t node_height = 2;

PeerProgram::Mapping identity(const PeerProblem& problem) { return problem.pus; }

/// One rank to each node in turn, as srun --distribution=cyclic; full nodes are left out.
PeerProgram::Mapping round_robin(const PeerProblem& problem) {
    const auto node_size = static_cast<std::int32_t>(
        problem.tree.pus_of_group[std::min(node_height, problem.tree.height())]);
    std::vector<std::vector<std::int32_t>> nodes;
    for (const std::int32_t pu : problem.pus) {
        if (nodes.empty() || nodes.back().front() / node_size != pu / node_size)
            nodes.emplace_back();
        nodes.back().push_back(pu);
    }
    PeerProgram::Mapping mapping;
    for (std::size_t round = 0; mapping.size() < problem.pus.size(); ++round) {
        for (const auto& node : nodes) {
            if (round < node.size()) mapping.push_back(node[round]);
        }
    }
    return mapping;
}

PeerProgram::Mapping random(const PeerProblem& problem) {
    PeerProgram::Mapping mapping = problem.pus;
    std::shuffle(mapping.begin(), mapping.end(), std::mt19937_64(problem.seed));
    return mapping;
}

}  // namespace
}  // namespace commmap::peers

int main(int argc, char** argv) {
    using commmap::peers::PeerProgram;
    PeerProgram program("Maps ranks onto PUs without a look at their messages.", "peer_simple");
    std::string form;
    program.options()
        .add_option("--form", form, "identity, round-robin or random")
        ->required()
        ->check(CLI::IsMember({"identity", "round-robin", "random"}));
    return program.run(argc, argv, [&form]() -> PeerProgram::Mapper {
        if (form == "identity") return {form, commmap::peers::identity};
        if (form == "random") return {form, commmap::peers::random};
        return {form, commmap::peers::round_robin};
    });
}
