// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/calibrate/collective_trials.hpp"
#include "commmap/result.hpp"

namespace commmap::cli {

/// Arguments of `commmap calibrate --collectives`.
struct CollectivesArguments {
    bool wanted = false;
    std::uint32_t ranks_per_node = 1;
    std::vector<std::string> operations;  ///< empty: all
    std::vector<std::uint64_t> bytes;     ///< of each call; empty: doubling from 64 B
};

/// Adds --collectives, --ranks-per-node, --operations and --bytes. Returns the first.
CLI::Option* add_collectives_options(CLI::App& command, CollectivesArguments& arguments);

/// Returns the arguments as words of a command line; none without --collectives.
[[nodiscard]] std::vector<std::string> words_of(const CollectivesArguments& arguments);

/// Times collective calls in a job, in both orders of ranks and with each algorithm. Times what
/// would be chosen once more in another step, whose times count where they are worse. Writes the
/// times into a file beside the times of other layouts that the file has, and prints what was
/// faster than native.
/// With dry_run, prints what would be timed.
/// @param num_nodes  of the job
/// @param output     path of the file; "-": standard output
/// Errors: those of the steps; invalid_input for a job of one rank, and where the file that is
/// there cannot be read. Nothing is written then.
/// Times of another MPI library are replaced, with a note.
[[nodiscard]] Status time_collectives(std::uint32_t num_nodes,
                                      const CollectivesArguments& arguments,
                                      const std::string& output, bool dry_run,
                                      const RunCollectivesStep& step);

}  // namespace commmap::cli
