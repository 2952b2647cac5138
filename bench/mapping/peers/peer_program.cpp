// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/peer_program.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "graphs/graph_file.hpp"
#include "mapping_file.hpp"
#include "peers/pu_choice.hpp"

namespace commmap::peers {
namespace {

/// User and system, of all threads.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

PeerProgram::PeerProgram(const std::string& what_it_does, const std::string& name)
    : app_(what_it_does, name) {
    app_.add_option("graph", graph_, "METIS file, edge weights in bytes")->required();
    app_.add_option("--tree", tree_, "arities from the lowest group upwards, as 8:2:8:8")
        ->required();
    app_.add_option("--distances", distances_, "one for each height, as 1:10:100:1000")->required();
    app_.add_option("--available", available_, "PUs that may be used, as 0-63,70 [all]");
    app_.add_flag("--spread", spread_,
                  "with fewer ranks than PUs: the same share of each group instead of the first");
    app_.add_option("--seed", seed_, "of random choices")->capture_default_str();
    app_.add_option("-o,--output", output_, "the mapping")->required();
}

int PeerProgram::run(int argc, char** argv, const std::function<Mapper()>& choose) {
    return bench::run_command(app_, argc, argv, [&] { read_and_map(choose()); });
}

void PeerProgram::read_and_map(const Mapper& mapper) const {
    const PeerProblem problem = read_problem();
    const double wall_before = wall_seconds();
    const double cpu_before = cpu_seconds();
    const Mapping mapping = mapper.map(problem);
    const double cpu = cpu_seconds() - cpu_before;
    const double wall = wall_seconds() - wall_before;
    const double peak = peak_mib();
    bench::write_mapping(output_, std::vector<std::uint64_t>(mapping.begin(), mapping.end()));
    const nlohmann::ordered_json line{
        {"name", mapper.name}, {"user_s", cpu}, {"wall_s", wall}, {"peak_mib", peak}};
    std::puts(line.dump().c_str());
}

PeerProblem PeerProgram::read_problem() const {
    PeerProblem problem;
    problem.seed = seed_;
    problem.tree = bench::read_tree_spec(tree_, distances_);
    const auto available = bench::read_available(available_, problem.tree.num_pus());
    // what was read goes with this line: it must not count in peak_mib beside the mapper's arrays
    problem.graph = to_peer_graph(bench::read_graph(graph_));
    problem.pus = choose_pus(problem.tree, available, problem.graph.num_ranks(),
                             spread_ ? Filling::spread : Filling::block);
    return problem;
}

}  // namespace commmap::peers
