// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "core/topology/cluster_yaml.hpp"
#include "core/topology/describe.hpp"

namespace commmap::cli {
namespace {

struct TopologyArguments {
    std::string file;
    std::string nodelist;
    std::string cpus_per_node;
};

struct Loaded {
    Cluster cluster;
    Hct hct;
};

Result<Loaded> load(const TopologyArguments& arguments, const Options& options) {
    auto cluster =
        read_cluster_yaml(arguments.file.empty() ? options.cluster_file : arguments.file);
    if (!cluster) return cluster.error();
    const auto allocation =
        named_allocation(cluster.value(), arguments.nodelist, arguments.cpus_per_node);
    if (!allocation) return allocation.error();
    auto hct = build_hct(cluster.value(), allocation.value());
    if (!hct) return hct.error();
    return Loaded{std::move(cluster).value(), std::move(hct).value()};
}

Status show(const TopologyArguments& arguments, const Options& options) {
    const auto loaded = load(arguments, options);
    if (!loaded) return loaded.error();
    return write_output("", describe(loaded.value().hct));
}

Status check(const TopologyArguments& arguments, const Options& options) {
    const auto loaded = load(arguments, options);
    if (!loaded) return loaded.error();
    const Cluster& cluster = loaded.value().cluster;
    return write_output(
        "",
        fmt::format(
            "{}: ok: {} switches, {} node classes, {} nodes; the tree has {} nodes, {} PUs\n",
            cluster.source, cluster.switches.size(), cluster.classes.size(), cluster.nodes.size(),
            loaded.value().hct.num_nodes(), loaded.value().hct.num_pus()));
}

}  // namespace

void add_topology_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<TopologyArguments>();
    CLI::App* command =
        app.add_subcommand("topology", "the hardware communication topology: show, check");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* help, auto work) {
        CLI::App* sub = command->add_subcommand(name, help);
        add_table_options(*sub, context, {"cluster"});
        sub->add_option("FILE", arguments->file, "cluster YAML, instead of --cluster");
        sub->add_option("--nodelist", arguments->nodelist,
                        "only the part for a job with these nodes")
            ->type_name("LIST");
        sub->add_option("--cpus-per-node", arguments->cpus_per_node,
                        "as in SLURM_JOB_CPUS_PER_NODE: '4(x3),2'")
            ->type_name("COUNTS");
        sub->callback([&context, arguments, work] {
            context.action = [&context, arguments, work] {
                return work(*arguments, context.options);
            };
        });
    };
    add("show", "print the tree with its ports", show);
    add("check", "read the file, build the tree, say whether both work", check);
}

}  // namespace commmap::cli
