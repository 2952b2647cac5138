// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurm/spank_api.hpp"

#include <slurm/slurm.h>

#include <limits>

#include "core/text/slurm_step.hpp"

namespace commmap::spank {

static_assert(first_special_step == SLURM_MAX_NORMAL_STEP_ID, "what programs without Slurm know");

std::optional<std::string> task_variable(spank_t spank, std::string_view name) {
    const std::string variable(name);
    std::string value(512, '\0');
    // Slurm tells that the buffer is too small, but not by how much. A variable has at most 128 KiB
    // in a program's environment.
    while (value.size() <= (std::size_t{1} << 20)) {
        const spank_err_t got =
            spank_getenv(spank, variable.c_str(), value.data(), static_cast<int>(value.size()));
        if (got == ESPANK_SUCCESS) {
            value.resize(value.find('\0'));
            return value;
        }
        if (got != ESPANK_NOSPACE) return std::nullopt;
        value.assign(value.size() * 4, '\0');
    }
    return std::nullopt;
}

void set_task_variable(spank_t spank, const char* name, const std::string& value) {
    spank_setenv(spank, name, value.c_str(), 1);
}

void unset_task_variable(spank_t spank, const char* name) { spank_unsetenv(spank, name); }

std::optional<std::string> name_in_environment(spank_t spank, std::string_view beginning) {
    char** variables = nullptr;
    if (spank_get_item(spank, S_JOB_ENV, &variables) != ESPANK_SUCCESS || variables == nullptr)
        return std::nullopt;
    for (; *variables != nullptr; ++variables) {
        const std::string_view variable(*variables);
        if (variable.starts_with(beginning))
            return std::string(variable.substr(0, variable.find('=')));
    }
    return std::nullopt;
}

std::optional<std::uint32_t> number_item(spank_t spank, spank_item_t item) {
    std::uint32_t number = 0;
    if (spank_get_item(spank, item, &number) != ESPANK_SUCCESS) return std::nullopt;
    return number;
}

std::optional<std::uint32_t> local_task_id(spank_t spank) {
    int number = -1;
    if (spank_get_item(spank, S_TASK_ID, &number) != ESPANK_SUCCESS || number < 0)
        return std::nullopt;
    return static_cast<std::uint32_t>(number);
}

std::optional<ProgramUser> job_user(spank_t spank) {
    ProgramUser user;
    gid_t* groups = nullptr;
    int count = 0;
    if (spank_get_item(spank, S_JOB_UID, &user.user) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &user.group) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count) != ESPANK_SUCCESS)
        return std::nullopt;
    if (groups != nullptr && count > 0) user.groups.assign(groups, groups + count);
    return user;
}

std::vector<std::string> step_command(spank_t spank) {
    int count = 0;
    char** words = nullptr;
    if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || words == nullptr)
        return {};
    return {words, words + count};
}

Environment environment_of_task(spank_t spank) {
    return [spank](std::string_view name) { return task_variable(spank, name); };
}

bool runs_tasks(spank_t spank) {
    const auto step = number_item(spank, S_JOB_STEPID);
    return step && *step < SLURM_MAX_NORMAL_STEP_ID;
}

bool speaks_for_step(spank_t spank) { return number_item(spank, S_TASK_GLOBAL_ID) == 0U; }

std::vector<std::string_view> plugstack_arguments(int argc, char** argv) {
    return {argv, argv + argc};
}

}  // namespace commmap::spank
