// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/map_graph.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/map/placement_svg.hpp"
#include "cli/same_file.hpp"
#include "commmap/graph_file.hpp"
#include "commmap/map_ranks.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"
#include "core/tree_mapping/engine_parts.hpp"

namespace commmap::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Preset>, 3> preset_table = {
    {{"fast", Preset::fast}, {"default", Preset::standard}, {"strong", Preset::strong}}};
constexpr std::array<std::pair<std::string_view, Objective>, 3> objective_table = {
    {{"hop-bytes", Objective::hop_bytes},
     {"port-cost", Objective::port_cost},
     {"process-time", Objective::process_time}}};
constexpr std::array<std::pair<std::string_view, bool EngineParts::*>, 8> part_table = {
    {{"grids", &EngineParts::grids},
     {"hierarchies", &EngineParts::hierarchies},
     {"combinations", &EngineParts::combinations},
     {"annealing", &EngineParts::annealing},
     {"exchanges", &EngineParts::exchanges},
     {"balancing", &EngineParts::balancing},
     {"chains", &EngineParts::chains},
     {"kicks", &EngineParts::kicks}}};
constexpr std::size_t links_shown = 5;

std::atomic<bool> told_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Makes the first TERM or Ctrl-C end the search instead of the program. The second one ends the
/// program.
void end_search_on_signal() {
    struct sigaction action {};
    action.sa_handler = [](int /*number*/) { told_to_end = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : {SIGTERM, SIGINT}) ::sigaction(signal, &action, nullptr);
}

/// Finds a word's row in a table.
/// @pre the parser let the word through
template <class Table>
auto named(const Table& table, const std::string& name) {
    auto row = table.begin();
    while (row->first != name) ++row;
    return row->second;
}

/// Returns a line with the word's present name, if commmap 0.1 had another one; else "".
std::string renamed(const std::string& word) {
    return word == "evening" ? "'evening' is called 'balancing' now" : "";
}

/// Adds an option whose value is one of the table's words, or a list of them.
template <class Value, class Table>
CLI::Option* add_word_option(CLI::App& command, Context& context, const std::string& name,
                             Value& value, const Table& table, const std::string& help) {
    CLI::Option* option = command.add_option(name, value, help)->type_name("WORD");
    std::vector<std::string>& words = context.words[option];
    for (const auto& [word, ignored] : table) words.emplace_back(word);
    return option->check(renamed, "")->check(CLI::IsMember(words));
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Usage {
    double cpu_s;
    double peak_mib;
};

Usage usage() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return {seconds(used.ru_utime) + seconds(used.ru_stime),
            static_cast<double>(used.ru_maxrss) / 1024};
}

Result<MachineTree> machine_of(const MapGraphArguments& arguments) {
    const auto arities = parse_arities(arguments.tree);
    if (!arities) return prefixed("--tree", arities.error());
    const auto distances = parse_distances(arguments.distances);
    if (!distances) return prefixed("--distances", distances.error());
    auto machine = MachineTree::make(arities.value(), distances.value());
    if (!machine) return prefixed("--tree, --distances", machine.error());
    if (!arguments.available) return machine;
    const auto pus = parse_pus(*arguments.available, machine.value().num_pus());
    if (!pus) return prefixed("--available", pus.error());
    return MachineTree::make(arities.value(), distances.value(), pus.value());
}

std::string lines_of(const std::vector<PuId>& pu_of_rank) {
    std::string text;
    for (const PuId pu : pu_of_rank) text += fmt::format("{}\n", pu);
    return text;
}

/// Returns a line for each loaded link, which goes from a group to the one above.
std::string loaded_links(const WeightedGraph& graph, const MachineTree& machine,
                         std::span<const GroupId> bin_of_rank) {
    std::string text;
    for (const TreeLink& link : most_loaded_links(graph, machine, bin_of_rank, links_shown)) {
        text +=
            fmt::format("  height {}, group {}: load {:.6g}, cost {:.6g}\n",
                        machine.num_levels() - link.depth, link.group, link.load_bytes, link.cost);
    }
    return text;
}

/// 1234567 -> "1.23457e+06", 0.5 -> "0.5".
std::string six_digits(double number) { return fmt::format("{:.6g}", number); }

std::string explanation(const WeightedGraph& graph, const MachineTree& machine,
                        const RankMapping& mapping) {
    std::vector<std::vector<std::string>> rows = {
        {"candidate", "hop-bytes", "port cost", "process time", "took", ""}};
    for (std::size_t i = 0; i < mapping.candidates.size(); ++i) {
        const auto& [name, preset, figures, took_s] = mapping.candidates[i];
        rows.push_back({std::string(name) + (preset == Preset::strong ? ", strong" : ""),
                        six_digits(figures.hop_bytes), six_digits(figures.port_cost),
                        six_digits(figures.process_time), format_seconds(took_s),
                        i == mapping.chosen ? "chosen" : ""});
    }
    std::string text = text_of(aligned(rows));
    text += "most loaded links, ranks in order:\n";
    text += loaded_links(graph, machine, ranks_in_order(machine, graph.num_vertices()));
    text += "most loaded links, chosen placement:\n";
    text += loaded_links(graph, machine, mapping.bin_of_rank);
    return text;
}

/// Writes the picture, if the user asked for one.
Status write_picture(const MapGraphArguments& arguments, const WeightedGraph& graph,
                     const MachineTree& machine, const RankMapping& mapping) {
    if (!arguments.svg_file) return Ok{};
    const std::string name =
        std::filesystem::path(*arguments.graph_file).filename().string() + " on " + arguments.tree;
    return write_output(
        *arguments.svg_file,
        placement_svg(name, graph, machine, ranks_in_order(machine, graph.num_vertices()),
                      mapping.bin_of_rank));
}

/// Refuses an output file that is also an input file or another output file.
Status check_files(const MapGraphArguments& arguments, const std::string& output) {
    std::vector<std::pair<const char*, std::string>> files = {{"--graph", *arguments.graph_file}};
    if (arguments.svg_file) files.emplace_back("--svg", *arguments.svg_file);
    if (!output.empty() && output != "-") files.emplace_back("--output", output);
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            if (is_same_file(files[i].second, files[j].second))
                return Error{Errc::invalid_input, fmt::format("{} and {} name the same file",
                                                              files[i].first, files[j].first)};
        }
    }
    return Ok{};
}

}  // namespace

void add_map_graph_arguments(CLI::App& command, Context& context, MapGraphArguments& arguments) {
    CLI::Option* graph =
        command
            .add_option("--graph", arguments.graph_file,
                        "a communication graph in METIS's format, in place of a profile")
            ->type_name("FILE");
    CLI::Option* tree =
        command
            .add_option("--tree", arguments.tree,
                        "the machine: sizes of its groups from the leaf level upwards, '8:2:4'")
            ->type_name("TREE");
    CLI::Option* distances =
        command
            .add_option("--distances", arguments.distances,
                        "of PUs that have a group of that height in common, '1:10:100'")
            ->type_name("LIST");
    graph->needs(tree)->needs(distances);
    CLI::Option* others[] = {
        tree,
        distances,
        add_word_option(command, context, "--preset", arguments.preset, preset_table,
                        "fast, default or strong [default]"),
        command
            .add_option("--threads", arguments.threads,
                        "threads of the search; their number does not change the placement [1]")
            ->type_name("COUNT")
            ->check(CLI::Range(1U, 1024U)),
        command
            .add_option("--available", arguments.available, "PUs that may be used, '0-63,70' [all]")
            ->type_name("LIST"),
        command
            .add_option("--budget", arguments.budget_s,
                        "seconds after which the best so far is taken [by the number of ranks]")
            ->type_name("SECONDS")
            ->check([](const std::string& text) -> std::string {
                // CLI::Range() accepts "nan"
                return CLI::Range(1e-6, 1e6)(text).empty() &&
                               text.find_first_not_of("0123456789.eE+-") == std::string::npos
                           ? ""
                           : "'" + text + "' is no number of seconds from 1e-6 to 1e6";
            }),
        add_word_option(command, context, "--without", arguments.without, part_table,
                        "parts of the mapping engine to switch off")
            ->delimiter(','),
        command.add_flag("--explain", arguments.explain,
                         "candidates, their cost and the most loaded links on standard error"),
        command
            .add_option("--svg", arguments.svg_file,
                        "a picture of the placement beside ranks in order: a file, not '-'")
            ->type_name("FILE")
            ->check([](const std::string& path) -> std::string {
                return path.empty() || path == "-" ? "a picture goes to a file" : "";
            })};
    for (CLI::Option* option : others) option->needs(graph);
    add_word_option(
        command, context, "--objective", arguments.objective, objective_table,
        "the cost to lower: hop-bytes, port-cost or process-time; with a profile the engine's "
        "placement is written, not a plan [with --graph hop-bytes]");
}

Objective objective_named(const std::string& word) { return named(objective_table, word); }

void exclude_from_map_graph(CLI::App& command) {
    CLI::Option* graph = command.get_option("--graph");
    const CLI::Option* with_it[] = {command.get_option("--seed"), command.get_option("--output"),
                                    command.get_option("--objective"), command.get_help_ptr(),
                                    graph};
    for (CLI::Option* option : command.get_options()) {
        const auto needed = option->get_needs();
        // Positional arguments stay: the parser reports one word too many, and only then tells it
        // from a mistyped option.
        if (needed.find(graph) == needed.end() && !option->get_positional() &&
            std::find(std::begin(with_it), std::end(with_it), option) == std::end(with_it))
            graph->excludes(option);
    }
}

Status map_graph(const MapGraphArguments& arguments, std::uint64_t seed,
                 const std::string& output) {
    if (const Status ok = check_files(arguments, output); !ok) return ok.error();
    end_search_on_signal();
    const auto machine = machine_of(arguments);
    if (!machine) return machine.error();
    const auto graph = read_graph_file(*arguments.graph_file);
    if (!graph) return prefixed("--graph", graph.error());

    const double budget_s = arguments.budget_s.value_or(
        default_budget_s(graph.value().num_vertices(), named(preset_table, arguments.preset)));
    EngineSettings settings{{objective_named(arguments.objective.value_or("hop-bytes")),
                             named(preset_table, arguments.preset), seed, arguments.threads,
                             Deadline::after(budget_s).or_when(told_to_end)},
                            {}};
    for (const std::string& part : arguments.without)
        settings.parts.*named(part_table, part) = false;
    const double cpu_before_s = usage().cpu_s;
    const auto start = Clock::now();
    const auto mapping = map_ranks(graph.value(), machine.value(), settings);
    if (!mapping) return prefixed("--graph", prefixed(*arguments.graph_file, mapping.error()));
    const Usage used = usage();
    const double wall_s = seconds_since(start);
    const bool cut_short = mapping.value().cut_short;

    if (arguments.explain)
        std::fputs(explanation(graph.value(), machine.value(), mapping.value()).c_str(), stderr);
    Status written = write_output(output, lines_of(mapping.value().pu_of_rank));
    if (!written) return written;
    written = write_picture(arguments, graph.value(), machine.value(), mapping.value());
    if (!written) return written;
    const PlacementFigures& figures = mapping.value().figures;
    const nlohmann::json line = {{"hop_bytes", figures.hop_bytes},
                                 {"port_cost", figures.port_cost},
                                 {"process_time", figures.process_time},
                                 {"cut_short", cut_short},
                                 {"hard", mapping.value().hard},
                                 {"user_s", used.cpu_s - cpu_before_s},
                                 {"wall_s", wall_s},
                                 {"peak_mib", used.peak_mib}};
    if (!output.empty() && output != "-") return write_output("", line.dump() + '\n');
    std::fputs((line.dump() + '\n').c_str(), stderr);
    return Ok{};
}

}  // namespace commmap::cli
