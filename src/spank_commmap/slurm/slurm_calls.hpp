// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>

#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/slurm/slurm_rules.hpp"

namespace commmap::spank {

// These functions send requests to slurmctld through Slurm's own library, which every srun has
// loaded.
// All differences between releases are in the .cpp. slurm.hpp describes the answers.

[[nodiscard]] std::optional<StepLayout> step_layout(std::uint32_t job, std::uint32_t step);
[[nodiscard]] std::optional<ControllerFacts> controller_facts();
[[nodiscard]] std::optional<std::size_t> running_steps(std::uint32_t job);
[[nodiscard]] SlurmRules own_rules();
bool complete_job(std::uint32_t job, std::uint32_t wait_status);

/// Answers by Slurm's own library, in srun.
class SlurmLibrary final : public Slurm {
public:
    std::optional<StepLayout> step_layout(std::uint32_t job, std::uint32_t step) override {
        return spank::step_layout(job, step);
    }
    std::optional<ControllerFacts> controller_facts() override { return spank::controller_facts(); }
    std::optional<std::size_t> running_steps(std::uint32_t job) override {
        return spank::running_steps(job);
    }
    SlurmRules own_rules() override { return spank::own_rules(); }
    bool complete_job(std::uint32_t job, std::uint32_t wait_status) override {
        return spank::complete_job(job, wait_status);
    }
};

}  // namespace commmap::spank
