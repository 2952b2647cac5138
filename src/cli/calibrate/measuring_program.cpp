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

std::vector<std::string> command_of(const MeasuringProgram& program, std::size_t num_nodes,
                                    std::string path) {
    std::vector<std::string> command{"srun",
                                     fmt::format("--nodes={}", num_nodes),
                                     fmt::format("--ntasks={}", num_nodes),
                                     "--ntasks-per-node=1",
                                     "--input=0",
                                     "--quit-on-interrupt",
                                     "--kill-on-bad-exit=1"};
    if (!program.nodelist.empty()) command.push_back("--nodelist=" + program.nodelist);
    if (!program.mpi.empty()) command.push_back("--mpi=" + program.mpi);
    if (program.by_tcp()) {  // in the command: a job may export no variables to its tasks
        for (const char* word : {"env", "OMPI_MCA_pml=ob1", "OMPI_MCA_btl=self,tcp"}) {
            command.emplace_back(word);
        }
    }
    command.push_back(std::move(path));
    return command;
}

}  // namespace

Status run_measuring_program(const MeasuringProgram& program, std::size_t num_nodes,
                             const std::string& series,
                             const std::function<void(const std::string&)>& on_line) {
    std::string path = program.path;
    if (path.empty()) {
        auto found = installed_program();
        if (!found) return found.error();
        path = std::move(found).value();
    }
    ::setenv("COMMMAP", "off", 1);  // a site's plugin has nothing to place here
    // Lines must come back as they are printed, and a rank must run on each node.
    for (const char* name : {"SLURM_LABELIO", "SLURM_STDOUTMODE", "SLURM_STDERRMODE",
                             "SLURM_HOSTFILE", "SLURM_DISTRIBUTION"}) {
        ::unsetenv(name);
    }
    bool answered = false;
    Status run = run_measuring_step(command_of(program, num_nodes, std::move(path)), series,
                                    [&](const std::string& line) {
                                        answered = answered || read_measured(line).has_value();
                                        on_line(line);
                                    });
    if (run || answered) return run;
    return Error{run.error().code,
                 run.error().message +
                     " before anything was measured; where the site's srun starts "
                     "another MPI by default, name Open MPI's: --mpi=pmix"};
}

}  // namespace commmap::cli
