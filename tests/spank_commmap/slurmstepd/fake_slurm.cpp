// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/fake_slurm.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace commmap::spank {
namespace {

void log(const char* level, const char* format, va_list arguments) {
    char text[4096];
    std::vsnprintf(text, sizeof text, format, arguments);
    slurm_log().push_back(std::string(level) + " " + text);
}

spank_err_t tell(const FakeStep& step, spank_item_t item, va_list out) {
    const auto number = [&](std::uint32_t value) {
        *va_arg(out, std::uint32_t*) = value;
        return static_cast<spank_err_t>(ESPANK_SUCCESS);
    };
    switch (item) {
        case S_JOB_UID:
            *va_arg(out, uid_t*) = step.user;
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        case S_JOB_GID:
            *va_arg(out, gid_t*) = step.group;
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        case S_JOB_SUPPLEMENTARY_GIDS:
            *va_arg(out, gid_t**) = const_cast<gid_t*>(step.groups.data());
            *va_arg(out, int*) = static_cast<int>(step.groups.size());
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        case S_JOB_ARGV: {
            static std::vector<char*> words;  // Slurm keeps what it hands out, too
            words.clear();
            for (const std::string& word : step.command)
                words.push_back(const_cast<char*>(word.c_str()));
            *va_arg(out, int*) = static_cast<int>(words.size());
            words.push_back(nullptr);
            *va_arg(out, char***) = words.data();
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        }
        case S_JOB_ENV: {
            static std::vector<std::string> texts;
            static std::vector<char*> variables;
            texts.clear();
            variables.clear();
            for (const auto& [name, value] : step.environment) texts.push_back(name + "=" + value);
            for (std::string& text : texts) variables.push_back(text.data());
            variables.push_back(nullptr);
            *va_arg(out, char***) = variables.data();
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        }
        case S_JOB_ID:
            return number(step.job);
        case S_JOB_STEPID:
            return number(step.step);
        case S_JOB_NODEID:
            return number(step.node);
        case S_JOB_LOCAL_TASK_COUNT:
            return number(step.local_tasks);
        case S_JOB_TOTAL_TASK_COUNT:
            return number(step.total_tasks);
        case S_STEP_CPUS_PER_TASK:
            return number(step.cpus_per_task);
        case S_TASK_ID:
            if (!step.task) return ESPANK_NOT_TASK;
            *va_arg(out, int*) = static_cast<int>(*step.task);
            return static_cast<spank_err_t>(ESPANK_SUCCESS);
        case S_TASK_GLOBAL_ID:
            return step.task ? number(step.first_rank + *step.task) : ESPANK_NOT_TASK;
        default:
            return ESPANK_BAD_ARG;  // the plugin asks for something new: add it here
    }
}

}  // namespace

std::vector<std::string>& slurm_log() {
    static std::vector<std::string> lines;
    return lines;
}
spank_context_t& slurm_context() {
    static spank_context_t context = S_CTX_REMOTE;
    return context;
}
std::vector<spank_option>& slurm_options() {
    static std::vector<spank_option> options;
    return options;
}

}  // namespace commmap::spank

extern "C" {

spank_err_t spank_get_item(spank_t step, spank_item_t item, ...) {
    if (step->withheld.contains(item)) return ESPANK_NOT_AVAIL;
    va_list out;
    va_start(out, item);
    const spank_err_t told = commmap::spank::tell(*step, item, out);
    va_end(out);
    return told;
}

spank_err_t spank_getenv(spank_t step, const char* name, char* buffer, int size) {
    const auto found = step->environment.find(name);
    if (found == step->environment.end()) return ESPANK_ENV_NOEXIST;
    const int length =
        std::snprintf(buffer, static_cast<std::size_t>(size), "%s", found->second.c_str());
    return length < size ? static_cast<spank_err_t>(ESPANK_SUCCESS) : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t step, const char* name, const char* value, int overwrite) {
    if (overwrite == 0 && step->environment.contains(name)) return ESPANK_ENV_EXISTS;
    step->environment[name] = value;
    return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

spank_err_t spank_unsetenv(spank_t step, const char* name) {
    step->environment.erase(name);
    return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

spank_context_t spank_context() { return commmap::spank::slurm_context(); }

spank_err_t spank_option_register(spank_t /*step*/, spank_option* option) {
    commmap::spank::slurm_options().push_back(*option);
    return static_cast<spank_err_t>(ESPANK_SUCCESS);
}

const char* spank_strerror(spank_err_t /*error*/) { return "an error of Slurm's"; }

void slurm_error(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    commmap::spank::log("error", format, arguments);
    va_end(arguments);
}

void slurm_debug(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    commmap::spank::log("debug", format, arguments);
    va_end(arguments);
}
}
