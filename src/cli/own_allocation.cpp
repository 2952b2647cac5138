// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/own_allocation.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/file.hpp"
#include "core/config/sources.hpp"

namespace commmap::cli {
namespace {

using namespace std::string_view_literals;

/// Where Slurm is, and how to be let in.
constexpr std::array kept_names{"SLURM_CONF"sv, "SLURM_CONF_SERVER"sv, "SLURM_CLUSTERS"sv,
                                "SLURM_JWT"sv, "SLURM_SACK_SOCKET"sv};

void remove_variables_of_jobs() {
    std::vector<std::string> names;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::string_view name = text.substr(0, text.find('='));
        bool keep = !name.starts_with("SLURM_");
        for (const std::string_view one : kept_names) keep = keep || name == one;
        if (!keep) names.emplace_back(name);
    }
    for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace

Status run_in_own_allocation(const AllocationRequest& request,
                             const std::vector<std::string>& arguments) {
    if (const std::string job = own_variable("SLURM_JOB_ID").value_or(""); !job.empty()) {
        return Error{Errc::invalid_input,
                     fmt::format("this is job {} already: leave out --nodes, or run the command "
                                 "outside of the job",
                                 job)};
    }
    std::error_code error;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return system_error("find", "/proc/self/exe", error.value());
    std::vector<std::string> words{"salloc", fmt::format("--nodes={}", request.num_nodes),
                                   "--exclusive"};
    const auto add = [&](std::string_view option, const std::string& value) {
        if (!value.empty()) words.push_back(fmt::format("--{}={}", option, value));
    };
    add("partition", request.partition);
    add("account", request.account);
    add("qos", request.qos);
    add("time", request.time);
    add("nodelist", request.nodelist);
    words.push_back(own.string());
    words.insert(words.end(), arguments.begin(), arguments.end());
    remove_variables_of_jobs();
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv.front(), argv.data());
    return Error{system_error("start", "salloc", errno).code,
                 fmt::format("{}, which --nodes needs: run the command where Slurm's commands are",
                             system_error("start", "salloc", errno).message)};
}

}  // namespace commmap::cli
