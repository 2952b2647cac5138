// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// What a spank_t points to. The functions of spank.h in fake_slurm.cpp answer from it.
/// The default is a step of two tasks on one node, in slurmstepd, whose user runs the test.
struct spank_handle {
    std::uint32_t job = 7;
    std::uint32_t step = 3;  ///< SLURM_BATCH_SCRIPT and the like: a step without ordinary tasks
    std::uint32_t node = 0;
    std::uint32_t local_tasks = 2;
    std::uint32_t total_tasks = 2;
    std::uint32_t cpus_per_task = 1;
    uid_t user = ::geteuid();
    gid_t group = ::getegid();
    std::vector<gid_t> groups = {::getegid()};
    std::vector<std::string> command = {"./app"};
    std::map<std::string, std::string> environment;
    /// The local number of the task that a hook is about; none: the hook is about no task.
    std::optional<std::uint32_t> task;
    std::uint32_t first_rank = 0;   ///< of the node's tasks
    std::set<spank_item> withheld;  ///< items that spank_get_item() refuses to tell
};

namespace commmap::spank {

using FakeStep = ::spank_handle;

/// What was logged by slurm_error() and its kin, "error TEXT" each.
std::vector<std::string>& slurm_log();
/// What spank_context() says.
spank_context_t& slurm_context();
/// The options that were registered.
std::vector<spank_option>& slurm_options();

}  // namespace commmap::spank
