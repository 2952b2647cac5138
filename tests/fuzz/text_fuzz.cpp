// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The short texts that commmap takes from others: from Slurm's variables, from the planner's
// output, from srun for the tasks, from the first srun for the second, and users' command lines.
// The first letter says which.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/plan_reply/cpu_set_table.hpp"
#include "core/plan_reply/plan_reply.hpp"
#include "core/program/launched_program.hpp"
#include "core/text/hostlist.hpp"
#include "core/text/node_runs.hpp"
#include "core/text/slurm_counts.hpp"
#include "core/text/units.hpp"
#include "fuzz/fuzz_target.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/slurmstepd/preload/multi_prog.hpp"
#include "spank_commmap/srun/relaunch/reexec.hpp"

namespace commmap::fuzz {
namespace {

template <class T>
void count(const Result<T>& result) {
    if (result) ++taken;
}

void plan(std::string_view text) {
    const auto reply = parse_plan_reply(text);
    count(reply);
    if (!reply) return;
    std::vector<std::string> nodes(std::min<std::size_t>(reply.value().tasks_per_node.size(), 64));
    const auto hosts = check_placement(reply.value(), nodes, reply.value().node_of_rank.size());
    if (hosts) require(hosts.value().size() == reply.value().node_of_rank.size(), "other hosts");
}

void node_runs(std::string_view text) {
    const auto nodes = parse_node_runs(text);
    count(nodes);
    if (!nodes) return;
    const auto again = parse_node_runs(format_node_runs(nodes.value()));
    require(again && again.value() == nodes.value(), "other runs");
}

void cpu_sets(std::string_view text) {
    const auto table = CpuSetTable::parse(text);
    count(table);
    if (!table) return;
    const auto used = CpuSetTable::parse(table.value().text_of_used_nodes());
    require(
        used.ok() || table.value().text_of_used_nodes().empty() || table.value().num_nodes() > 0,
        "CPU sets that are not read again");
}

void units(std::string_view text) {
    count(parse_bandwidth_bytes_per_s(text));
    count(parse_time_ns(text));
    count(parse_length_bytes(text));
}

/// Each behind a NUL.
std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words;
    for (;;) {
        const auto end = text.find('\0');
        words.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return words;
        text.remove_prefix(end + 1);
    }
}

void multi_prog(std::string_view text) {
    if (text.empty()) return;
    const auto rank = static_cast<unsigned char>(text.front());
    const auto words = words_in(text.substr(1));
    if (!spank::multi_prog_words(words, rank).empty()) ++taken;
}

void command_line(std::string_view text) {
    const auto words = words_in(text);
    const LaunchedProgram found = find_launched_program(words, "/usr/bin:/bin", "/");
    const bool is_a_word = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return word.find(found.command) != std::string::npos;
    });
    require(is_a_word, "a command that is not in the command line");
    Executable script;
    script.kind = Executable::Kind::script;
    script.interpreter = text.substr(0, 256);
    static_cast<void>(runs_in_container(found.command, script));
    if (!found.script.empty()) ++taken;
}

/// In a variable that is of this process.
void relaunch(std::string_view text) {
    const std::string value = std::to_string(::getpid()) + ":" + std::string(text);
    ::setenv(spank::Relaunch::variable, value.c_str(), 1);
    const auto found = spank::Relaunch::of_this_process();
    ::unsetenv(spank::Relaunch::variable);
    if (!found) return;
    ++taken;
    require(found->hostfile_fd > 2, "a standard descriptor");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    if (size == 0) return 0;
    const std::string_view text = text_of(data + 1, size - 1);
    switch (data[0]) {
        case 'p':
            plan(text);
            break;
        case 'h':
            count(expand_hostlist(text));
            break;
        case 'r':
            node_runs(text);
            break;
        case 'c':
            count(parse_slurm_counts(text));
            break;
        case 's':
            cpu_sets(text);
            break;
        case 'u':
            units(text);
            break;
        case 'm':
            multi_prog(text);
            break;
        case 'l':
            command_line(text);
            break;
        case 'w':
            relaunch(text);
            break;
        case 'v':
            count(spank::parse_placed_value(text));
            break;
        default:
            return -1;
    }
    return 0;
}
