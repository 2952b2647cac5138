// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/calibrate/calibration_json.hpp"
#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/check_command.hpp"
#include "cli/calibrate/collectives_command.hpp"
#include "cli/calibrate/links_page.hpp"
#include "cli/calibrate/measured_links.hpp"
#include "cli/calibrate/measured_switches.hpp"
#include "cli/calibrate/measuring_plan.hpp"
#include "cli/calibrate/measuring_program.hpp"
#include "cli/calibrate/yaml_writing.hpp"
#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/own_allocation.hpp"
#include "cli/same_file.hpp"
#include "core/base/file.hpp"
#include "core/calibration/measurements.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/calibration/port_fit.hpp"
#include "core/calibration/switch_fit.hpp"
#include "core/calibration/switch_kind.hpp"
#include "core/config/sources.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

struct CalibrateArguments {
    std::string file;
    std::string output;
    MeasuringProgram program;
    std::string measured;  ///< a file of measurements, instead of a job
    std::string save;      ///< where to keep measurements
    std::string page;      ///< where to write the page
    std::string checked;   ///< the JSON of a check, for the page
    AllocationRequest allocation;
    bool dry_run = false;
    bool yes = false;
    bool no_inside = false;
    CheckArguments check;
    CollectivesArguments collectives;
};

/// Largest file of measurements: some hundred series have a hundred lines each.
constexpr std::uint64_t max_measurements_bytes = std::uint64_t{16} << 20U;

Result<Allocation> nodes_of(const Cluster& cluster, const CalibrateArguments& arguments) {
    const std::string job = own_variable("SLURM_JOB_NODELIST").value_or("");
    if (!arguments.dry_run && job.empty()) {
        return Error{Errc::invalid_input,
                     "no job to measure in: ask for one with 'commmap calibrate -N 8', run it as "
                     "'salloc -N 8 --exclusive commmap calibrate', or print the measurements with "
                     "--dry-run"};
    }
    return named_allocation(
        cluster, arguments.program.nodelist.empty() ? job : arguments.program.nodelist, "");
}

bool is_inside(const NamedSeries& series) {
    return series.pairs.front().first.find(':') != std::string::npos;
}

/// The series of a plan that a file has. An older commmap measured fewer of them. A series of a
/// switch that is not of the plan measures nothing: maxima that were written since let switches
/// become one kind. Nor does one inside of a node, whose CPUs the file may have renumbered.
/// @return  nothing when the file has another series that is not of the plan
std::vector<Series> series_of_file(const Measurements& measurements, const MeasuringPlan& plan) {
    const std::vector<NamedSeries> planned = named(plan.series, plan.allocation);
    std::vector<Series> found;
    std::size_t not_planned = 0;
    std::size_t not_planned_inside = 0;
    auto from = planned.begin();  // two kinds of ports may have equal series, which stand in order
    for (const NamedSeries& one : measurements.series) {
        const bool of_switch = one.pattern == MeasuringPattern::together;
        const bool inside = is_inside(one);
        const auto at = std::find(of_switch ? planned.begin() : from, planned.end(), one);
        if (at != planned.end()) {
            found.push_back(plan.series[static_cast<std::size_t>(at - planned.begin())]);
            if (!of_switch) from = at + 1;
        } else if (of_switch || inside) {
            found.emplace_back().pattern = MeasuringPattern::together;
            ++(inside ? not_planned_inside : not_planned);
        } else {
            return {};
        }
    }
    if (not_planned > 0) {
        print_notes(
            {fmt::format("{} measurements of switches do not count: the switches have "
                         "other nodes now, or another maximum",
                         not_planned)});
    }
    if (not_planned_inside > 0) {
        print_notes(
            {fmt::format("{} measurements inside of nodes do not count: the file has other "
                         "levels or CPUs now",
                         not_planned_inside)});
    }
    return found;
}

Result<Measurements> read_kept(const std::string& path) {
    const auto text = read_file(path, max_measurements_bytes);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    return read_measurements(path, text.value());
}

/// Whether a file has measurements inside of nodes: an older commmap has none.
bool has_inside(const Measurements& measurements) {
    return std::any_of(measurements.series.begin(), measurements.series.end(), is_inside);
}

/// What the user gets for measurements: links, a difference, or a new cluster YAML.
Status use(const MeasuredKinds& measured, bool complete, const ClusterFile& file,
           const CalibrateArguments& arguments) {
    const std::string links = yaml_of_links(measured);
    // What took minutes to measure is not lost with a path, or with a file that cannot be written.
    const auto or_printed = [&](const Status& done) {
        if (!done) static_cast<void>(write_output("", links));
        return done;
    };
    if (!complete) return write_output("", links);
    if (!arguments.output.empty()) return or_printed(write_output(arguments.output, links));
    const LinkEdits all = edits_of_links(measured);
    print_notes(all.notes);
    SwitchEdits switches = edits_of_switches(measured);
    print_notes(switches.notes);
    if (all.edits.empty()) {
        return or_printed(Error{Errc::invalid_input,
                                "no link is measured as a whole, and none is "
                                "written"});
    }
    auto text = edited_text(file, all.edits, switches.edits);
    if (!text && !switches.edits.empty()) {
        // The links are worth writing without the switches.
        const std::string why = text.error().message;
        text = edited_text(file, all.edits);
        if (text) {
            print_notes({"maxima of switches are not written: " + why});
            print_notes(lines_of_switches(measured));
        }
    }
    if (!text) {
        // So are the links between nodes without those inside of them.
        std::vector<LinkEdit> between = all.edits;
        std::erase_if(between, [](const LinkEdit& edit) { return edit.of_inside; });
        const std::string why = text.error().message;
        if (!between.empty() && between.size() < all.edits.size()) {
            text = edited_text(file, between, switches.edits);
            if (text) print_notes({"links inside of nodes are not written: " + why});
        }
    }
    if (!text) return or_printed(text.error());
    return or_printed(write_cluster_file(file, text.value(), consent_of(arguments.yes)));
}

Error with_way_out(const Error& error) {
    return Error{error.code, error.message + " (-o - prints the links, and writes nothing)"};
}

/// Says before minutes of waiting and measuring that the file cannot be written after them.
Status may_be_replaced(const std::string& path, const CalibrateArguments& arguments) {
    if (!arguments.output.empty() || consent_of(arguments.yes) == Consent::nobody) return Ok{};
    const Status replaceable = is_replaceable(path);
    return replaceable ? Status(Ok{}) : with_way_out(replaceable.error());
}

/// Says the same of links that cannot be changed in its text.
Status may_be_edited(const ClusterFile& file, const MeasuringPlan& plan,
                     const CalibrateArguments& arguments) {
    if (!arguments.output.empty()) return Ok{};
    const auto text = edited_text(file, possible_edits(file.cluster, plan.kinds));
    return text ? Status(Ok{}) : with_way_out(text.error());
}

/// The arguments of this command, for a job of its own.
std::vector<std::string> arguments_in_job(const CalibrateArguments& arguments,
                                          const std::string& file) {
    std::vector<std::string> words{"calibrate"};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) words.push_back(fmt::format("--{}={}", option, value));
    };
    // All nodes of the job are measured: of --nodelist salloc gets these nodes at least.
    add("mpi", arguments.program.mpi);
    add("measure-program", arguments.program.path);
    if (arguments.program.by_tcp()) add("transport", arguments.program.transport);
    add("save-measured", arguments.save);
    add("output", arguments.output);
    add("page", arguments.page);
    add("checked", arguments.checked);
    if (arguments.yes) words.emplace_back("--yes");
    if (arguments.no_inside) words.emplace_back("--no-inside");
    const std::vector<std::string> check = words_of(arguments.check);
    words.insert(words.end(), check.begin(), check.end());
    const std::vector<std::string> collectives = words_of(arguments.collectives);
    words.insert(words.end(), collectives.begin(), collectives.end());
    words.emplace_back("--");
    words.push_back(file);
    return words;
}

/// Refuses a command that would replace one of its own files by another one.
Status are_other_files(const CalibrateArguments& arguments, const std::string& cluster_file) {
    if (arguments.page == "-") {
        return Error{Errc::invalid_input, "--page needs a file: standard output has the links"};
    }
    std::vector<std::string> others{cluster_file, arguments.measured, arguments.checked};
    for (const std::string& written : {arguments.output, arguments.save, arguments.page}) {
        if (written.empty() || written == "-") continue;
        for (const std::string& other : others) {
            if (other.empty() || !is_same_file(written, other)) continue;
            const bool is_cluster = other == cluster_file;
            return Error{
                Errc::invalid_input,
                fmt::format("{} {}: name another file{}", commmap::quoted(written, 200),
                            is_cluster ? "is the cluster YAML itself, which would be replaced"
                                       : "is named twice, and would be replaced",
                            is_cluster && written == arguments.output
                                ? ", or leave out -o to have its links changed"
                                : "")};
        }
        others.push_back(written);
    }
    return Ok{};
}

/// The page, while nothing is measured.
struct EmptyPage {
    std::string page_template;
    LinksPage content;
};

/// Reads what a page is made of. Nobody measures for minutes to learn then that it is not there.
Result<EmptyPage> page_without_links(const CalibrateArguments& arguments, const Cluster& cluster) {
    EmptyPage page;
    if (arguments.page.empty()) return page;
    auto text = read_page_template();
    if (!text) return text.error();
    page.page_template = std::move(text).value();
    page.content.cluster = cluster.name;
    if (arguments.checked.empty()) return page;
    auto check = read_check_json(arguments.checked);
    if (!check) return check.error();
    page.content.check = std::move(check).value();
    return page;
}

Status write_page(const CalibrateArguments& arguments, const EmptyPage& page) {
    if (arguments.page.empty()) return Ok{};
    const std::string text = fill_page(page.page_template, page.content);
    if (Status written = write_output(arguments.page, text); !written) return written;
    std::fprintf(stderr, "commmap: the page %s is written\n",
                 commmap::quoted(arguments.page, 200).c_str());
    return Ok{};
}

/// Where times of collectives are written.
std::string file_of_times(const CalibrateArguments& arguments, Options options) {
    if (!arguments.output.empty()) return arguments.output;
    if (!arguments.file.empty()) options.cluster_file = arguments.file;
    return inside_table_of(options);
}

Status calibrate_collectives(const CalibrateArguments& arguments, const Cluster& cluster,
                             const Context& context) {
    const auto allocation = nodes_of(cluster, arguments);
    if (!allocation) return allocation.error();
    const std::size_t num_nodes = allocation.value().nodes.size();
    return time_collectives(
        static_cast<std::uint32_t>(num_nodes), arguments.collectives,
        file_of_times(arguments, context.options), arguments.dry_run,
        [&](const CollectivesStep& step, const auto& on_line) {
            return run_measuring_collectives(
                arguments.program, num_nodes,
                {step.ranks_per_node, std::string(name_of(step.order)), step.rules}, step.input,
                on_line);
        });
}

Status calibrate(const CalibrateArguments& arguments, Context& context) {
    const auto file =
        read_cluster_file(arguments.file.empty() ? context.options.cluster_file : arguments.file);
    if (!file) return file.error();
    const Cluster& cluster = file.value().cluster;
    if (Status other = are_other_files(arguments, file.value().path); !other) return other;
    auto page = page_without_links(arguments, cluster);
    if (!page) return page.error();
    if (!arguments.dry_run && !arguments.check.wanted && !arguments.collectives.wanted) {
        if (Status possible = may_be_replaced(file.value().path, arguments); !possible) {
            return possible;
        }
    }
    if (arguments.allocation.num_nodes > 0) {
        AllocationRequest request = arguments.allocation;
        request.nodelist = arguments.program.nodelist;
        CalibrateArguments in_job = arguments;
        if (arguments.collectives.wanted) in_job.output = file_of_times(arguments, context.options);
        return run_in_own_allocation(request, arguments_in_job(in_job, file.value().path));
    }
    if (arguments.check.wanted) {
        const auto allocation = nodes_of(cluster, arguments);
        if (!allocation) return allocation.error();
        const auto step = [&](const std::string& series, const auto& on_line) {
            return run_measuring_program(arguments.program, allocation.value().nodes.size(), series,
                                         on_line);
        };
        const auto on_report = [&](const std::string& found) {
            page.value().content.check = found;
            return write_page(arguments, page.value());
        };
        return check_links(cluster, allocation.value(), arguments.check, arguments.dry_run, step,
                           on_report, context.exit_code);
    }
    if (arguments.collectives.wanted) return calibrate_collectives(arguments, cluster, context);
    Measurements measurements;
    if (!arguments.measured.empty()) {
        auto kept = read_kept(arguments.measured);
        if (!kept) return kept.error();
        measurements = std::move(kept).value();
    }
    Allocation nodes;
    for (const std::string& node : measurements.nodes) nodes.nodes.push_back({node, 0});
    const bool again = !arguments.measured.empty();
    const auto plan = plan_between(
        cluster, again ? Result<Allocation>(nodes) : nodes_of(cluster, arguments),
        again ? has_inside(measurements) : !arguments.no_inside && !arguments.program.by_tcp());
    if (!plan) return plan.error();
    const auto& [allocation, kinds, switches, planned] = plan.value();
    std::vector<Series> series = planned;
    if (arguments.dry_run) {
        return write_output("", describe_plan(cluster, allocation, kinds, switches, series));
    }
    if (Status possible = may_be_edited(file.value(), plan.value(), arguments); !possible) {
        return possible;
    }
    Status ended = Ok{};
    if (arguments.measured.empty()) {
        auto now = measure(arguments.program, cluster, plan.value(), ended);
        if (!now) return now.error();
        measurements = std::move(now).value();
    } else if (series = series_of_file(measurements, plan.value()); series.empty()) {
        return Error{Errc::invalid_input,
                     fmt::format("{} was measured between nodes that have another place in {}",
                                 commmap::quoted(arguments.measured, 200), file.value().path)};
    }
    Status kept = Ok{};
    if (!arguments.save.empty())
        kept = write_output(arguments.save, write_measurements(measurements));
    const MeasuredKinds measured{
        cluster,
        allocation,
        kinds,
        fit_ports(kinds, series, measurements.measured),
        switches,
        fit_switches(switches, series, measurements.measured),
        origin_of(measurements) + (measurements.complete ? "" : ", and ended early")};
    // The page is there before the question whether to write, so that it can be looked at.
    if (!arguments.page.empty()) {
        page.value().content.calibration = json_of_calibration(measured, series, measurements);
        if (Status written = write_page(arguments, page.value()); kept) kept = written;
    }
    if (Status used = use(measured, measurements.complete, file.value(), arguments); !used) {
        return used;
    }
    if (!ended) return ended;
    if (!measurements.complete) {
        return Error{Errc::invalid_input,
                     fmt::format("{} ended early: the links are printed, and none is written",
                                 commmap::quoted(arguments.measured, 200))};
    }
    return kept;
}

/// Adds what is passed on to salloc. What the job gets means nothing without its nodes.
void add_allocation_options(CLI::App& command, AllocationRequest& request, CLI::Option& dry_run) {
    CLI::Option* nodes =
        command
            .add_option("-N,--nodes", request.num_nodes,
                        "get a job with this number of whole nodes, and measure in it")
            ->type_name("COUNT")
            ->check(CLI::Range(2U, 1U << 20U))
            ->excludes(&dry_run);
    const auto add = [&](const char* names, std::string& value, const char* type) {
        command.add_option(names, value, "of that job, as for salloc")
            ->type_name(type)
            ->needs(nodes);
    };
    add("-p,--partition", request.partition, "NAME");
    add("-A,--account", request.account, "NAME");
    add("-q,--qos", request.qos, "NAME");
    add("-t,--time", request.time, "TIME");
}

}  // namespace

void add_calibrate_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<CalibrateArguments>();
    CLI::App* command = app.add_subcommand(
        "calibrate",
        "measure the links between a job's nodes, and write them into the cluster YAML");
    add_table_options(*command, context, {"cluster", "inside-table"});
    command->add_option("FILE", arguments->file, "cluster YAML, instead of --cluster");
    CLI::Option* dry_run =
        command->add_flag("--dry-run", arguments->dry_run,
                          "print the measurements and their duration, and measure nothing");
    command->add_flag("--yes", arguments->yes, "write the file without showing and asking");
    add_allocation_options(*command, arguments->allocation, *dry_run);
    command
        ->add_option("--nodelist", arguments->program.nodelist,
                     "measure between these nodes of the job; with --dry-run of the cluster")
        ->type_name("LIST");
    command
        ->add_option("--mpi", arguments->program.mpi,
                     "for srun, where the site's default is another")
        ->type_name("TYPE");
    command
        ->add_option("--measure-program", arguments->program.path,
                     "commmap-measure of another MPI, built by hand")
        ->type_name("FILE");
    command
        ->add_option("--transport", arguments->program.transport,
                     "tcp: messages go by TCP alone; mpi: by the network that the MPI chooses")
        ->type_name("WORD")
        ->check(CLI::IsMember({"mpi", "tcp"}));
    command->add_flag("--no-inside", arguments->no_inside,
                      "measure between nodes only, and leave out levels inside of them");
    command
        ->add_option("--save-measured", arguments->save,
                     "keep what was measured there, for --measured")
        ->type_name("FILE");
    command
        ->add_option("--measured", arguments->measured,
                     "work the numbers out again from this file, without a job")
        ->type_name("FILE")
        ->excludes("--nodes", "--dry-run", "--save-measured", "--nodelist", "--transport",
                   "--no-inside");
    command
        ->add_option("-o,--output", arguments->output,
                     "write the links there ('-': print them), and leave the cluster YAML alone")
        ->type_name("FILE")
        ->excludes("--yes");
    CLI::Option* page =
        command
            ->add_option("--page", arguments->page,
                         "write an HTML page with curves, classes of ports and outliers there")
            ->type_name("FILE")
            ->excludes(dry_run);
    command
        ->add_option("--checked", arguments->checked,
                     "show on the page what 'calibrate --check --json' printed")
        ->type_name("FILE")
        ->needs(page);
    add_check_options(*command, arguments->check)
        ->excludes("--yes", "--output", "--save-measured", "--measured", "--checked");
    add_collectives_options(*command, arguments->collectives)
        ->excludes("--yes", "--save-measured", "--measured", "--page", "--check", "--no-inside",
                   "--transport");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] {
            Status done = calibrate(*arguments, context);
            return arguments->check.wanted ? could_not_check(done, context.exit_code) : done;
        };
    });
}

}  // namespace commmap::cli
