// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "peers/peer_graph.hpp"
#include "tree_spec.hpp"

namespace commmap::peers {

/// What a mapper is asked: to put each rank of `graph` on a PU of its own of `pus`.
struct PeerProblem {
    PeerGraph graph;
    bench::TreeSpec tree;
    std::vector<std::int32_t> pus;  ///< ascending, as many as ranks
    std::uint64_t seed = 1;
};

/// The common part of the programs: options, reading, measuring, writing.
class PeerProgram {
public:
    using Mapping = std::vector<std::int32_t>;  ///< the PU of each rank
    struct Mapper {
        std::string name;
        std::function<Mapping(const PeerProblem&)> map;
    };

    PeerProgram(const std::string& what_it_does, const std::string& name);

    /// For options of the program's own, before run().
    CLI::App& options() { return app_; }

    /// Reads the command line and then asks `choose` for the mapper. Writes the mapping, one PU a
    /// line in rank order, and prints one JSON line: name; user_s, CPU seconds of user and system,
    /// and wall_s of the mapping proper; peak_mib of the process up to its end.
    /// @return  exit code: 1 after one line on stderr when something is wrong
    int run(int argc, char** argv, const std::function<Mapper()>& choose);

private:
    void read_and_map(const Mapper& mapper) const;
    [[nodiscard]] PeerProblem read_problem() const;

    CLI::App app_;
    std::string graph_;
    std::string tree_;
    std::string distances_;
    std::string available_;
    std::string output_;
    std::uint64_t seed_ = 1;
    bool spread_ = false;
};

}  // namespace commmap::peers
