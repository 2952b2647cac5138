// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// METIS, level by level down the tree.
#include "peers/level_mapper.hpp"
#include "peers/metis_split.hpp"

int main(int argc, char** argv) {
    using namespace commmap::peers;
    PeerProgram program("Maps ranks onto PUs with METIS, level by level from the root.",
                        "peer_metis");
    std::string form;
    program.options()
        .add_option("--form", form, "recursive, strong or kway")
        ->required()
        ->check(CLI::IsMember({"recursive", "strong", "kway"}));
    return program.run(argc, argv, [&form]() -> PeerProgram::Mapper {
        const MetisForm chosen = form == "recursive" ? MetisForm::recursive
                                 : form == "strong"  ? MetisForm::strong
                                                     : MetisForm::kway;
        return {"metis " + form, [chosen](const PeerProblem& problem) {
                    return map_by_levels(
                        problem, [&](const PeerGraph& graph, std::span<const std::int32_t> sizes) {
                            return metis_split(graph, sizes, chosen, problem.seed);
                        });
                }};
    });
}
