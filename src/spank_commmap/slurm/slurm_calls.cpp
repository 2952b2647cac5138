// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurm/slurm_calls.hpp"

#include <slurm/slurm.h>

#include <memory>

#include "core/base/handle.hpp"
#include "core/text/hostlist.hpp"

// Every srun has all these functions. They are weak, so that a program without them (a static
// slurmd) can load the plugin too.
#pragma weak slurm_load_ctl_conf
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define slurm_free_ctl_conf slurm_free_conf  // its name since 26.05
#pragma weak slurm_free_conf
#else
#pragma weak slurm_free_ctl_conf
#endif
#pragma weak slurm_job_step_layout_get
#pragma weak slurm_job_step_layout_free
#pragma weak slurm_complete_job
#pragma weak slurm_get_job_steps
#pragma weak slurm_free_job_step_info_response_msg

namespace commmap::spank {
namespace {

slurm_step_id_t step_id(std::uint32_t job, std::uint32_t step) {
    slurm_step_id_t id{};
    id.job_id = job;
    id.step_id = step;
    id.step_het_comp = NO_VAL;
    return id;
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

bool nodes_ranked(const slurm_conf_t& conf) {
    const std::string plugin = text_of(conf.topology_plugin);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
    if (plugin == "topology/block") return true;
#endif
    return plugin.find("torus") != std::string::npos ||
           text_of(conf.topology_param).find("AsNodeRank") != std::string::npos;
}

/// Returns whether block steps follow the topology: under a topology plugin other than flat, unless
/// CR_NO_DIST_TOPO_BLOCK is set.
bool block_in_topology_order([[maybe_unused]] const slurm_conf_t& conf) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    const std::string plugin = text_of(conf.topology_plugin);
    return plugin != "topology/flat" && plugin != "topology/default" && !plugin.empty() &&
           (conf.select_type_param & SELECT_NO_DIST_TOPO_BLOCK) == 0;
#else
    return false;
#endif
}

/// Returns whether a lua script filters options. A release may lack the field.
template <class Conf>
bool has_filter_script(const Conf& conf) {
    if constexpr (requires { conf.cli_filter_plugins; })
        return text_of(conf.cli_filter_plugins).find("lua") != std::string::npos;
    return false;
}

}  // namespace

std::optional<StepLayout> step_layout(std::uint32_t job, std::uint32_t step) {
    if (slurm_job_step_layout_get == nullptr || slurm_job_step_layout_free == nullptr)
        return std::nullopt;
    slurm_step_id_t id = step_id(job, step);
    const std::unique_ptr<slurm_step_layout_t, FreeWith<slurm_job_step_layout_free>> layout(
        slurm_job_step_layout_get(&id));
    if (!layout || layout->node_list == nullptr) return std::nullopt;
    auto nodes = expand_hostlist(layout->node_list);
    if (!nodes || nodes.value().size() != layout->node_cnt) return std::nullopt;
    StepLayout found{layout->node_list, std::move(nodes).value(),
                     std::vector<std::uint32_t>(layout->task_cnt, NO_VAL)};
    std::size_t placed = 0;
    for (std::uint32_t node = 0; node < layout->node_cnt; ++node) {
        for (std::uint32_t task = 0; task < layout->tasks[node]; ++task) {
            const std::uint32_t rank = layout->tids[node][task];
            if (rank >= found.node_of_rank.size() || found.node_of_rank[rank] != NO_VAL)
                return std::nullopt;
            found.node_of_rank[rank] = node;
            ++placed;
        }
    }
    if (placed != found.node_of_rank.size()) return std::nullopt;
    return found;
}

std::optional<ControllerFacts> controller_facts() {
    if (slurm_load_ctl_conf == nullptr || slurm_free_ctl_conf == nullptr) return std::nullopt;
    slurm_conf_t* raw = nullptr;
    if (slurm_load_ctl_conf(0, &raw) != SLURM_SUCCESS || raw == nullptr) return std::nullopt;
    const std::unique_ptr<slurm_conf_t, FreeWith<slurm_free_ctl_conf>> conf(raw);
    return ControllerFacts{text_of(conf->mpi_default),
                           conf->inactive_limit,
                           nodes_ranked(*conf),
                           text_of(conf->mpi_params).find("ports=") != std::string::npos,
                           block_in_topology_order(*conf),
                           has_filter_script(*conf)};
}

std::optional<std::size_t> running_steps(std::uint32_t job) {
    if (slurm_get_job_steps == nullptr || slurm_free_job_step_info_response_msg == nullptr)
        return std::nullopt;
    job_step_info_response_msg_t* raw = nullptr;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
    slurm_step_id_t id = step_id(job, NO_VAL);
    const int got = slurm_get_job_steps(&id, &raw, SHOW_ALL);
#else
    const int got = slurm_get_job_steps(0, job, NO_VAL, &raw, SHOW_ALL);
#endif
    if (got != SLURM_SUCCESS || raw == nullptr) return std::nullopt;
    const std::unique_ptr<job_step_info_response_msg_t,
                          FreeWith<slurm_free_job_step_info_response_msg>>
        steps(raw);
    std::size_t running = 0;
    for (std::uint32_t i = 0; i < steps->job_step_count; ++i) {
        const job_step_info_t& step = steps->job_steps[i];
        if (step.step_id.step_id < SLURM_MAX_NORMAL_STEP_ID && step.state < JOB_COMPLETE) ++running;
    }
    return running;
}

SlurmRules own_rules() { return slurm_rules(SLURM_VERSION_NUMBER); }

bool complete_job(std::uint32_t job, std::uint32_t wait_status) {
    if (slurm_complete_job == nullptr) return false;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
    slurm_step_id_t id = step_id(job, NO_VAL);
    return slurm_complete_job(&id, wait_status) == SLURM_SUCCESS;
#else
    return slurm_complete_job(job, wait_status) == SLURM_SUCCESS;
#endif
}

}  // namespace commmap::spank
