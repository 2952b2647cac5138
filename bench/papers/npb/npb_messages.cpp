// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "common/bench_program.hpp"
#include "npb/npb_run.hpp"

namespace {

using namespace commmap::bench;

using Benchmark = void (*)(const npb::Run&);
const std::map<std::string, Benchmark> benchmarks{{"cg", npb::send_cg}, {"ep", npb::send_ep},
                                                  {"ft", npb::send_ft}, {"is", npb::send_is},
                                                  {"mg", npb::send_mg}, {"sp", npb::send_sp}};

/// The program's exit code; rank 0 says what was wrong.
int run(int argc, char** argv, npb::Run& run) {
    CLI::App app{"Makes the MPI calls of a NAS Parallel Benchmark, without its arithmetic"};
    std::string benchmark;
    std::string problem_class = "A";
    app.add_option("benchmark", benchmark, "cg, ep, ft, is, mg or sp")
        ->required()
        ->check(CLI::IsMember(benchmarks));
    app.add_option("--class", problem_class, "S, W, A, B or C")
        ->check(CLI::IsMember({"S", "W", "A", "B", "C"}))
        ->capture_default_str();
    app.add_option("--release", run.release, "2 or 3: whose calls")
        ->transform(CLI::CheckedTransformer(std::map<std::string, npb::Release>{
            {"2", npb::Release::two}, {"3", npb::Release::three}}));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (run.rank != 0) return error.get_exit_code() == 0 ? 0 : 2;
        if (error.get_exit_code() == 0) return app.exit(error);
        std::fprintf(stderr, "npb_messages: %s\n", error.what());
        return 2;
    }
    run.problem_class = problem_class[0];
    try {
        benchmarks.at(benchmark)(run);
    } catch (const UsageError& error) {
        if (run.rank == 0) std::fprintf(stderr, "npb_messages: %s\n", error.what());
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    npb::Run of_this;
    MPI_Comm_rank(MPI_COMM_WORLD, &of_this.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &of_this.ranks);
    const int status = run(argc, argv, of_this);
    MPI_Finalize();
    return status;
}
