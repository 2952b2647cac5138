// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/relaunch/planned_hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "core/base/file.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"

namespace commmap::spank {
namespace {

constexpr std::size_t most_hostfile_bytes = std::size_t{64} << 20;

}  // namespace

Result<PlannedHosts> take_planned_hosts(int hostfile_fd) {
    auto content = read_file("/proc/self/fd/" + std::to_string(hostfile_fd), most_hostfile_bytes);
    ::close(hostfile_fd);
    if (!content) return content.error();
    PlannedHosts hosts;
    for (std::size_t begin = 0; begin < content.value().size();) {
        const std::size_t end = std::min(content.value().find('\n', begin), content.value().size());
        hosts.push_back(content.value().substr(begin, end - begin));
        begin = end + 1;
    }
    return hosts;
}

void show_plain_environment(bool own_job, const PlannedHosts& hosts) {
    const std::set<std::string_view> nodes(hosts.begin(), hosts.end());
    ::unsetenv(own_job_variable);
    if (own_job) {
        for (const char* name : variables_of_job) ::unsetenv(name);
    } else {
        // srun takes cyclic for at most one task a node, else block (launch.c)
        ::setenv("SLURM_DISTRIBUTION", hosts.size() <= nodes.size() ? "cyclic" : "block", 1);
    }
}

bool is_as_planned(const StepLayout& layout, const PlannedHosts& hosts) {
    PlannedHosts found;
    found.reserve(layout.node_of_rank.size());
    for (const std::uint32_t node : layout.node_of_rank) found.push_back(layout.nodes[node]);
    return found == hosts;
}

}  // namespace commmap::spank
