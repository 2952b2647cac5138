// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/measuring_program.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/calibrate/measuring_step.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

Result<std::string> installed_program() {
    std::error_code error;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path program =
        (own.parent_path() / COMMMAP_PROGRAM_TO_LIBRARY / "commmap-measure").lexically_normal();
    if (!error && std::filesystem::exists(program, error)) return program.string();
    return Error{Errc::not_found,
                 fmt::format("{} is not there: build commmap with COMMMAP_RECORDER=ON, or name the "
                             "program with --measure-program",
                             commmap::quoted(program.string()))};
}

/// What srun is told of a step.
struct Step {
    std::size_t nodes = 1;
    std::size_t ranks_per_node = 1;
    std::string nodelist;                ///< empty: all nodes of the job
    std::vector<std::string> options;    ///< of srun
    std::vector<std::string> variables;  ///< of the measuring program, "NAME=VALUE"
    std::vector<std::string> arguments;  ///< of the measuring program
};

std::vector<std::string> command_of(const MeasuringProgram& program, const Step& step,
                                    std::string path) {
    std::vector<std::string> command{"srun",
                                     fmt::format("--nodes={}", step.nodes),
                                     fmt::format("--ntasks={}", step.nodes * step.ranks_per_node),
                                     fmt::format("--ntasks-per-node={}", step.ranks_per_node),
                                     "--input=0",
                                     "--quit-on-interrupt",
                                     "--kill-on-bad-exit=1"};
    command.insert(command.end(), step.options.begin(), step.options.end());
    if (!step.nodelist.empty()) command.push_back("--nodelist=" + step.nodelist);
    if (!program.mpi.empty()) command.push_back("--mpi=" + program.mpi);
    std::vector<std::string> variables = step.variables;
    if (program.by_tcp()) {
        variables.insert(variables.end(), {"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=self,tcp"});
    }
    if (!variables.empty()) {  // in the command: a job may export no variables to its tasks
        command.emplace_back("env");
        command.insert(command.end(), variables.begin(), variables.end());
    }
    command.push_back(std::move(path));
    command.insert(command.end(), step.arguments.begin(), step.arguments.end());
    return command;
}

/// The program that the user names, else the installed one.
Result<std::string> path_of(const MeasuringProgram& program) {
    return program.path.empty() ? installed_program() : Result<std::string>(program.path);
}

Status run_step(const MeasuringProgram& program, const Step& step, const std::string& series,
                const std::function<void(const std::string&)>& on_line) {
    auto path = path_of(program);
    if (!path) return path.error();
    ::setenv("COMMMAP", "off", 1);  // a site's plugin has nothing to place here
    // Lines must come back as they are printed, and a rank must run on each node.
    for (const char* name : {"SLURM_LABELIO", "SLURM_STDOUTMODE", "SLURM_STDERRMODE",
                             "SLURM_HOSTFILE", "SLURM_DISTRIBUTION"}) {
        ::unsetenv(name);
    }
    return run_measuring_step(command_of(program, step, std::move(path).value()), series, on_line);
}

/// Says what to look at where a step ended before it had measured anything.
/// @param answered  whether the program has said anything of its own
Status with_advice(Status ended, bool answered) {
    if (ended || answered || ended.error().code == Errc::not_found) return ended;
    return Error{ended.error().code,
                 ended.error().message +
                     " before anything was measured; where the site's srun starts "
                     "another MPI by default, name Open MPI's: --mpi=pmix"};
}

}  // namespace

Status run_measuring_collectives(const MeasuringProgram& program, std::size_t num_nodes,
                                 const CollectivesRun& run, const std::string& calls,
                                 const std::function<void(const std::string&)>& on_line) {
    const auto path = path_of(program);
    if (!path) return path.error();
    const std::string library =
        (std::filesystem::path(path.value()).parent_path() / "libcommmap_inside_ompi.so").string();
    std::error_code error;
    if (!std::filesystem::exists(library, error)) {
        return Error{Errc::not_found,
                     fmt::format("{} is not there: it lies beside commmap-measure where commmap is "
                                 "built with COMMMAP_RECORDER=ON",
                                 commmap::quoted(library))};
    }
    Step step;
    step.nodes = num_nodes;
    step.ranks_per_node = run.ranks_per_node;
    step.nodelist = program.nodelist;
    step.options = {"--distribution=" + run.distribution};
    step.variables = {"LD_PRELOAD=" + library, "COMMMAP_INSIDE_RULES=" + run.rules,
                      "OMPI_MCA_coll_tuned_use_dynamic_rules=1"};
    step.arguments = {"--collectives"};
    bool answered = false;
    Status ended = run_step(program, step, calls, [&](const std::string& line) {
        answered = answered || read_library(line).has_value();
        on_line(line);
    });
    return with_advice(std::move(ended), answered);
}

Status run_measuring_program_inside(const MeasuringProgram& program, const std::string& node,
                                    const std::vector<std::uint32_t>& cpus,
                                    const std::string& series,
                                    const std::function<void(const std::string&)>& on_line) {
    std::string list;
    for (const std::uint32_t cpu : cpus) list += fmt::format("{}{}", list.empty() ? "" : ",", cpu);
    Step step;
    step.ranks_per_node = cpus.size();
    step.nodelist = node;
    // Each rank binds itself. Slurm may count a core as one CPU, so there may be more ranks than it
    // thinks that there are CPUs. Each rank has a CPU of its own, and need not yield it.
    step.options = {"--overcommit", "--cpu-bind=none"};
    step.variables = {"OMPI_MCA_mpi_yield_when_idle=0"};
    step.arguments = {"--cpus=" + list};
    return run_step(program, step, series, on_line);
}

Status run_measuring_program(const MeasuringProgram& program, std::size_t num_nodes,
                             const std::string& series,
                             const std::function<void(const std::string&)>& on_line) {
    bool answered = false;
    Step step;
    step.nodes = num_nodes;
    step.nodelist = program.nodelist;
    Status ended = run_step(program, step, series, [&](const std::string& line) {
        answered = answered || read_measured(line).has_value();
        on_line(line);
    });
    return with_advice(std::move(ended), answered);
}

}  // namespace commmap::cli
