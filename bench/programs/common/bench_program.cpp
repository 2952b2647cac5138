// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/bench_program.hpp"

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "common/compute_load.hpp"

namespace commmap::bench {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_check = 1;

/// MPI counts are int; stay far below.
constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30U;

class MpiSession {
public:
    MpiSession(int* argc, char*** argv) { MPI_Init(argc, argv); }
    ~MpiSession() { MPI_Finalize(); }
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;
    MpiSession(MpiSession&&) = delete;
    MpiSession& operator=(MpiSession&&) = delete;

    [[nodiscard]] static int rank() {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return rank;
    }
    [[nodiscard]] static int num_ranks() {
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        return ranks;
    }
};

void add_common_options(CLI::App& app, const BenchProgram& program, RunOptions& options) {
    if (program.has_message_bytes()) {
        app.add_option("--message-bytes", options.message_bytes, "bytes of one message")
            ->check(CLI::Range(std::uint64_t{0}, max_message_bytes))
            ->capture_default_str();
    }
    app.add_option("--iterations", options.iterations, "timed iterations")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--warmup", options.warmup, "iterations before the clock starts")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--compute", options.compute_us, "microseconds of arithmetic per iteration")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "seed of the contents of the messages")
        ->capture_default_str();
    app.add_option("--corrupt-once", options.corrupt_rank)->group("");
}

/// @return exit code when the process should end now (help, bad option)
std::optional<int> read_options(int argc, char** argv, CLI::App& app, bool speak) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success&) {
        if (speak) {
            std::fputs(app.help().c_str(), stdout);
        }
        return 0;
    } catch (const CLI::ParseError& error) {
        if (speak) {
            std::fprintf(stderr, "%s: %s (--help lists the options)\n", app.get_name().c_str(),
                         error.what());
        }
        return exit_usage;
    }
    return std::nullopt;
}

void run_iterations(BenchProgram& program, const ComputeLoad& load, std::uint64_t first,
                    std::uint64_t end) {
    for (std::uint64_t iteration = first; iteration < end; ++iteration) {
        program.iterate(iteration);
        if (!load.run(iteration)) {
            throw CheckError("arithmetic of iteration " + std::to_string(iteration) +
                             " gave a wrong result");
        }
    }
}

double timed_run(BenchProgram& program, const RunOptions& options) {
    const ComputeLoad load(options.compute_us);
    const auto warmup = static_cast<std::uint64_t>(options.warmup);
    const auto iterations = static_cast<std::uint64_t>(options.iterations);
    run_iterations(program, load, 0, warmup);

    MPI_Barrier(MPI_COMM_WORLD);
    const double start_s = MPI_Wtime();
    run_iterations(program, load, warmup, warmup + iterations);
    MPI_Barrier(MPI_COMM_WORLD);
    const double own_s = MPI_Wtime() - start_s;

    double longest_s = 0;
    MPI_Reduce(&own_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return longest_s;
}

}  // namespace

void RunContext::damage_if_asked(std::span<std::byte> message) {
    if (rank_ == options_.corrupt_rank && !damaged_ && !message.empty()) {
        message[message.size() / 2] ^= std::byte{0xFF};
        damaged_ = true;
    }
}

int run_program(int argc, char** argv, BenchProgram& program) {
    const MpiSession session(&argc, &argv);
    const bool speak = MpiSession::rank() == 0;

    RunOptions options;
    CLI::App app(program.summary(), program.name());
    add_common_options(app, program, options);
    program.add_options(app);
    if (const auto code = read_options(argc, argv, app, speak)) {
        return *code;
    }

    RunContext context(MpiSession::rank(), MpiSession::num_ranks(), options);
    try {
        program.prepare(context);
        const double time_s = timed_run(program, options);
        if (speak) {
            std::printf(
                "commmap-bench program=%s ranks=%d iterations=%d message_bytes=%llu time_s=%.6f "
                "check=ok\n",
                program.name().c_str(), context.num_ranks(), options.iterations,
                static_cast<unsigned long long>(program.message_bytes()), time_s);
            std::fflush(stdout);
        }
    } catch (const UsageError& error) {
        if (speak) {
            std::fprintf(stderr, "%s: %s\n", program.name().c_str(), error.what());
        }
        return exit_usage;
    } catch (const CheckError& error) {
        std::fprintf(stderr, "%s: rank %d: check failed: %s\n", program.name().c_str(),
                     context.rank(), error.what());
        MPI_Abort(MPI_COMM_WORLD, exit_check);
    }
    return 0;
}

}  // namespace commmap::bench
