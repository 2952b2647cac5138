// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace commmap::bench {

/// The user asked for something that cannot be done: one line on stderr, exit code 2.
/// Thrown on every rank alike (all ranks see the same options), reported by rank 0.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Wrong data arrived: one line on stderr from the rank that saw it, MPI_Abort with code 1.
class CheckError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct RunOptions {
    std::uint64_t message_bytes = 65536;
    int iterations = 100;
    int warmup = 2;  ///< iterations before the clock starts
    double compute_us = 0;
    std::uint64_t seed = 1;
    int corrupt_rank = -1;  ///< this rank damages one byte of one message; for the tests
};

/// What a program knows about the run it is part of.
class RunContext {
public:
    RunContext(int rank, int num_ranks, RunOptions options)
        : rank_(rank), num_ranks_(num_ranks), options_(options) {}

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int num_ranks() const { return num_ranks_; }
    [[nodiscard]] const RunOptions& options() const { return options_; }

    /// Every message passes here on its way out. Flips the bits of one byte of the first non-empty
    /// one when --corrupt-once names this rank.
    void damage_if_asked(std::span<std::byte> message);

private:
    int rank_;
    int num_ranks_;
    RunOptions options_;
    bool damaged_ = false;
};

/// One communication pattern. run_program() calls the functions in the order in which they stand.
class BenchProgram {
public:
    virtual ~BenchProgram() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string summary() const = 0;

    /// False for a program that takes its message sizes from elsewhere; it has no --message-bytes.
    [[nodiscard]] virtual bool has_message_bytes() const { return true; }

    /// Adds the program's own options to the common ones.
    virtual void add_options(CLI::App& app) = 0;

    /// Checks the options against the number of ranks and makes the buffers. `context` outlives
    /// the program. Throws UsageError.
    virtual void prepare(RunContext& context) = 0;

    /// One iteration: communicates and checks all that arrives. Throws CheckError.
    virtual void iterate(std::uint64_t iteration) = 0;

    /// Bytes of the largest message of an iteration, for the timing line.
    [[nodiscard]] virtual std::uint64_t message_bytes() const = 0;
};

/// MPI_Init, options, warm-up, timed iterations, timing line, MPI_Finalize.
///
/// @return exit code of the process: 0 ok, 2 options or rank count not usable. Wrong data does not
///         return: MPI_Abort ends the job with code 1.
[[nodiscard]] int run_program(int argc, char** argv, BenchProgram& program);

}  // namespace commmap::bench
