// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commmap/result.hpp"

namespace commmap::cli {

/// commmap-measure, and how srun starts it.
struct MeasuringProgram {
    std::string path;      ///< empty: the program that is installed with this one
    std::string nodelist;  ///< nodes of the job; empty: all
    std::string mpi;       ///< of srun's --mpi; empty: the site's default
    /// "tcp": Open MPI sends by TCP alone; "mpi": by the network that it chooses
    std::string transport = "mpi";

    [[nodiscard]] bool by_tcp() const { return transport == "tcp"; }
};

/// Runs the measuring program on one node, with a rank on each of some CPUs. Its lines on standard
/// error say what went wrong.
/// @param cpus  by their numbers in the operating system; each once
/// Errors: as run_measuring_program()
[[nodiscard]] Status run_measuring_program_inside(
    const MeasuringProgram& program, const std::string& node,
    const std::vector<std::uint32_t>& cpus, const std::string& series,
    const std::function<void(const std::string&)>& on_line);

/// How ranks stand on the nodes of a step, and what is loaded into them.
struct CollectivesRun {
    std::size_t ranks_per_node = 1;
    std::string distribution;  ///< of srun: "block" or "cyclic"
    std::string rules;         ///< for libcommmap_inside_ompi.so
};

/// Runs the measuring program once with the library for collectives, on all nodes of the job.
/// @param num_nodes  of the job, or of `nodelist`
/// @param calls      its standard input (inside::write_calls())
/// Errors: not_found when the program or the library is not there; those of run_measuring_step().
[[nodiscard]] Status run_measuring_collectives(
    const MeasuringProgram& program, std::size_t num_nodes, const CollectivesRun& run,
    const std::string& calls, const std::function<void(const std::string&)>& on_line);

/// Runs the measuring program once, with a rank on each node.
/// @param num_nodes  of the job, or of `nodelist`
/// @param series     its standard input (write_series())
/// @param on_line    gets each line that it prints
/// Errors: not_found when the program is not there; those of run_measuring_step(). Where nothing
/// was measured, the message says what to look at.
[[nodiscard]] Status run_measuring_program(const MeasuringProgram& program, std::size_t num_nodes,
                                           const std::string& series,
                                           const std::function<void(const std::string&)>& on_line);

}  // namespace commmap::cli
