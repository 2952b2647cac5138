// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/launch_actions.hpp"

namespace commmap::spank {

/// What a launch did, in order, one line each.
using Deeds = std::vector<std::string>;

/// Answers as a Slurm 22.05 would that laid four tasks out on two nodes.
class FakeSlurm final : public Slurm {
public:
    explicit FakeSlurm(Deeds& deeds) : deeds_(deeds) {}

    std::optional<StepLayout> step_layout(std::uint32_t job, std::uint32_t step) override {
        deeds_.push_back("ask for the layout of " + std::to_string(job) + "." +
                         std::to_string(step));
        return layout;
    }
    std::optional<ControllerFacts> controller_facts() override {
        deeds_.emplace_back("ask for slurm.conf");
        return ControllerFacts{};
    }
    std::optional<std::size_t> running_steps(std::uint32_t /*job*/) override {
        deeds_.emplace_back("ask for running steps");
        return 0;
    }
    SlurmRules own_rules() override { return slurm_rules(slurm_version(22, 5)); }
    bool complete_job(std::uint32_t job, std::uint32_t wait_status) override {
        deeds_.push_back("complete job " + std::to_string(job) + " with " +
                         std::to_string(wait_status));
        return true;
    }

    std::optional<StepLayout> layout = StepLayout{"m[0-1]", {"m0", "m1"}, {0, 0, 1, 1}};

private:
    Deeds& deeds_;
};

/// The fake process ended: end_process() must not return.
struct Ended {
    int status;
};

/// Records what is asked for, and does nothing of it.
class FakeActions final : public LaunchActions {
public:
    explicit FakeActions(Deeds& deeds) : deeds_(deeds) {
        answer.end = ProgramResult::End::answered;
    }

    void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request) override {
        const std::string job =
            launch.own_job ? ", in job " + std::to_string(launch.own_job->job) : "";
        note_request("plan and relaunch", launch, request, job);
    }
    Binding plan_and_bind(const LaunchContext& launch, const StepRequest& request) override {
        note_request("plan and bind", launch, request, "");
        return binding;
    }
    ProgramResult run(const std::vector<std::string>& argv, const ProgramLimits& limits,
                      std::string_view /*input*/) override {
        limits_of_last = limits;
        std::string words;
        for (std::size_t i = 1; i < argv.size(); ++i) words += " " + argv[i];
        deeds_.push_back("run" + words);
        return answer;
    }
    void print_line(const std::string& text) override { deeds_.push_back("say " + text); }
    bool print(const std::string& text) override {
        deeds_.push_back("print " + text.substr(0, text.find('\n')));
        return true;
    }
    void at_exit(void (*handler)(int, void*), void* argument) override {
        deeds_.emplace_back("watch for the end");
        handlers_.emplace_back(handler, argument);
    }
    void do_end_process(int status) override { throw Ended{status}; }

    /// Runs the handlers as exit() would, the last one first.
    void run_exit_handlers(int status) {
        for (auto handler = handlers_.rbegin(); handler != handlers_.rend(); ++handler)
            handler->first(status, handler->second);
    }

    Binding binding = Binding::planned;
    ProgramResult answer;          ///< of every program; it has printed nothing
    ProgramLimits limits_of_last;  ///< of the program that was run last
    std::string planned_run;       ///< what the planner says of the run to come; empty: nothing

private:
    void note_request(const std::string& what, const LaunchContext& launch,
                      const StepRequest& request, const std::string& where) {
        deeds_.push_back(what + " " + std::to_string(request.num_tasks) + " tasks on " +
                         request.nodelist + where);
        if (!planned_run.empty()) launch.run.note_plan(planned_run);
    }

    Deeds& deeds_;
    std::vector<std::pair<void (*)(int, void*), void*>> handlers_;
};

/// This process's environment, which becomes a small one of known variables, and gets all its own
/// ones back in the end.
class TestEnvironment {
public:
    using Variables = std::map<std::string, std::string>;

    explicit TestEnvironment(const Variables& variables) : before_(now()) { become(variables); }
    TestEnvironment(const TestEnvironment&) = delete;
    TestEnvironment& operator=(const TestEnvironment&) = delete;
    ~TestEnvironment() { become(before_); }

    [[nodiscard]] static Variables now() {
        Variables variables;
        for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            const auto equals = text.find('=');
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
        return variables;
    }
    static void add(const Variables& variables) {
        for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    }

private:
    static void become(const Variables& variables) {
        ::clearenv();
        add(variables);
    }

    Variables before_;
};

}  // namespace commmap::spank
