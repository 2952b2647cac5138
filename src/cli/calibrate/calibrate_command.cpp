// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/measuring_step.hpp"
#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "core/calibration/blocks.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/calibration/port_fit.hpp"
#include "core/text/one_line.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap::cli {
namespace {

struct CalibrateArguments {
    std::string file;
    std::string output;
    std::string nodelist;
    std::string mpi;
    std::string program;
    bool dry_run = false;
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// The measuring program that is installed with this one.
Result<std::string> measuring_program() {
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

std::vector<std::string> command_of(const CalibrateArguments& arguments, std::size_t num_nodes,
                                    std::string program) {
    std::vector<std::string> command{"srun",
                                     fmt::format("--nodes={}", num_nodes),
                                     fmt::format("--ntasks={}", num_nodes),
                                     "--ntasks-per-node=1",
                                     "--input=0",
                                     "--quit-on-interrupt",
                                     "--kill-on-bad-exit=1"};
    if (!arguments.nodelist.empty()) command.push_back("--nodelist=" + arguments.nodelist);
    if (!arguments.mpi.empty()) command.push_back("--mpi=" + arguments.mpi);
    command.push_back(std::move(program));
    return command;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 16> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

/// Collects what the measuring program prints, and shows the user how far it is.
class Progress {
public:
    Progress(const Cluster& cluster, const Allocation& allocation,
             const std::vector<PortKind>& kinds, const std::vector<Series>& series)
        : cluster_(cluster), allocation_(allocation), kinds_(kinds), series_(series) {}

    void take(const std::string& line) {
        if (auto library = read_library(line)) library_ = *std::move(library);
        auto measured = read_measured(line);
        if (!measured || measured->series >= series_.size() ||
            measured->blocks.size() != blocks_of_length) {
            return;
        }
        if (all_.empty() || all_.back().series != measured->series) {
            const Series& one = series_[measured->series];
            std::fprintf(stderr, "commmap: [%u/%zu] %s: %s\n", measured->series + 1, series_.size(),
                         name_of_kind(cluster_, kinds_[one.kind]).c_str(),
                         describe_series(one, allocation_).c_str());
        }
        all_.push_back(*std::move(measured));
    }

    [[nodiscard]] const std::vector<Measured>& all() const { return all_; }
    [[nodiscard]] const std::string& library() const { return library_; }

private:
    const Cluster& cluster_;
    const Allocation& allocation_;
    const std::vector<PortKind>& kinds_;
    const std::vector<Series>& series_;
    std::vector<Measured> all_;
    std::string library_;
};

Result<Allocation> nodes_of(const Cluster& cluster, const CalibrateArguments& arguments) {
    const std::string job = variable("SLURM_JOB_NODELIST");
    if (!arguments.dry_run && job.empty()) {
        return Error{Errc::invalid_input,
                     "no job to measure in: run it as 'salloc -N 8 --exclusive commmap calibrate', "
                     "or print the measurements with --dry-run"};
    }
    return named_allocation(cluster, arguments.nodelist.empty() ? job : arguments.nodelist, "");
}

Status calibrate(const CalibrateArguments& arguments, const Options& options) {
    const auto cluster =
        read_cluster_yaml(arguments.file.empty() ? options.cluster_file : arguments.file);
    if (!cluster) return cluster.error();
    const auto allocation = nodes_of(cluster.value(), arguments);
    if (!allocation) return allocation.error();
    const auto kinds = find_port_kinds(cluster.value(), allocation.value());
    if (!kinds) return kinds.error();
    const std::vector<Series> series = plan_series(kinds.value());
    if (arguments.dry_run) {
        return write_output(
            "", describe_plan(cluster.value(), allocation.value(), kinds.value(), series));
    }
    if (series.empty()) {
        return Error{Errc::invalid_input,
                     "nothing can be measured between these nodes: --dry-run says why"};
    }
    std::string program = arguments.program;
    if (program.empty()) {
        auto found = measuring_program();
        if (!found) return found.error();
        program = std::move(found).value();
    }
    ::setenv("COMMMAP", "off", 1);  // a site's plugin has nothing to place here
    // Lines must come back as they are printed, and a rank must run on each node.
    for (const char* name : {"SLURM_LABELIO", "SLURM_STDOUTMODE", "SLURM_STDERRMODE",
                             "SLURM_HOSTFILE", "SLURM_DISTRIBUTION"}) {
        ::unsetenv(name);
    }
    Progress progress(cluster.value(), allocation.value(), kinds.value(), series);
    Status run = run_measuring_step(
        command_of(arguments, allocation.value().nodes.size(), std::move(program)),
        write_series(named(series, allocation.value())),
        [&](const std::string& line) { progress.take(line); });
    if (progress.all().empty()) {
        if (!run) {
            return Error{run.error().code, run.error().message +
                                               " before anything was measured; where the site's "
                                               "srun starts another MPI by default, name Open "
                                               "MPI's: --mpi=pmix"};
        }
        return Error{Errc::invalid_input, "the measuring program measured nothing"};
    }
    const std::string job = variable("SLURM_JOB_ID");
    const std::string origin = fmt::format(
        "Measured on {} by commmap calibrate{}, {} nodes, with {}{}: payload, without headers.",
        today(), job.empty() ? "" : " in job " + job, allocation.value().nodes.size(),
        progress.library().empty() ? "an unknown MPI" : progress.library(),
        run ? "" : ", and ended early");
    const std::string links =
        yaml_of_ports(cluster.value(), allocation.value(), kinds.value(),
                      fit_ports(kinds.value(), series, progress.all()), origin);
    if (Status written = write_output(arguments.output, links); !written) {
        // What took minutes to measure is not lost with a path.
        if (!arguments.output.empty()) static_cast<void>(write_output("", links));
        return written;
    }
    return run;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<CalibrateArguments>();
    CLI::App* command = app.add_subcommand(
        "calibrate", "measure the links between a job's nodes, and print them as cluster YAML");
    add_table_options(*command, context, {"cluster"});
    command->add_option("FILE", arguments->file, "cluster YAML, instead of --cluster");
    command->add_flag("--dry-run", arguments->dry_run,
                      "print the measurements and their duration, and measure nothing");
    command
        ->add_option("--nodelist", arguments->nodelist,
                     "measure between these nodes of the job; with --dry-run of the cluster")
        ->type_name("LIST");
    command->add_option("--mpi", arguments->mpi, "for srun, where the site's default is another")
        ->type_name("TYPE");
    command
        ->add_option("--measure-program", arguments->program,
                     "commmap-measure of another MPI, built by hand")
        ->type_name("FILE");
    command->add_option("-o,--output", arguments->output, "write the links there")
        ->type_name("FILE");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return calibrate(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
