// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cpus/cpu_masks.hpp"
#include "core/profile/recording/record_state.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/deeds_of_child.hpp"
#include "spank_commmap/slurmstepd/fake_slurm.hpp"
#include "spank_commmap/slurmstepd/step_hooks.hpp"

namespace commmap::spank {

using Variables = std::map<std::string, std::string>;

/// Returns whether this process has two CPUs, as the fake step's two tasks need to be bound.
[[nodiscard]] bool has_two_cpus();

enum class Hook { init, option, user_init, task_init, task_exit, exit };

/// One step on one node, from slurmstepd's start to its end, on a fake Slurm (FakeStep).
/// This process is slurmstepd, and each task is a child of this process.
/// The step may use two CPUs. In deeds, DIR is the folder of the libraries that are preloaded, and
/// LIB the folder of the plugin's files.
class Step {
public:
    /// @param option  the value of --commmap; none: no such option
    explicit Step(std::optional<std::string> option, const Variables& variables = {});
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();

    /// Calls one hook, for each task where Slurm does so. Returns what the hook did:
    /// - lines that are logged, and the error that the hook returns;
    /// - programs that were run;
    /// - changes of the environment: a task's, where the hook runs in a task;
    /// - memory, kept files, and the CPUs to which a task was bound.
    /// For task_init, returns what the hook did in the node's first task.
    Deeds call(Hook hook);
    /// Calls the hooks up to this one, in Slurm's order. Returns what the last one did.
    Deeds call_up_to(Hook last);
    /// Runs task_init in one task.
    /// @param before  runs in the task before that, with slurmstepd's rights
    Deeds task(std::uint32_t local_id, const std::function<void()>& before = nullptr);

    [[nodiscard]] FakeStep& slurm() { return slurm_; }
    [[nodiscard]] StepHooks& hooks() { return *hooks_; }
    /// Goes on as the slurmstepd of a later step on the same node.
    void become_later_step() {
        hooks_ = std::make_unique<StepHooks>(NodeQuestion{kept_directory(), node_limit_});
    }
    /// Goes on as the slurmstepd of a later step whose commmap-node may take so long. By default
    /// that time is long enough for a busy machine.
    void limit_node(std::chrono::seconds limit) {
        node_limit_ = limit;
        become_later_step();
    }
    /// Folder of the preloaded libraries and of the fake programs' data.
    [[nodiscard]] const std::string& directory() const { return directory_; }
    /// Adds an argument of plugstack.conf.
    void add_to_plugstack(std::string_view argument) { plugstack_.push_back(argument); }
    /// How far the tasks come with their record, where they have memory for it.
    void set_record_state(RecordState state) { record_state_ = state; }
    /// The exit code of commmap-collect.
    static void set_end_of_collect(int code);
    /// What commmap-node prints from now on.
    void set_answer_of_node(std::string_view answer) const;
    [[nodiscard]] std::string kept_directory() const { return directory_ + "/kept"; }
    /// What root has kept of the node; empty: nothing.
    [[nodiscard]] std::string kept() const;

private:
    Deeds deeds_of(const std::function<Status()>& hook);
    Status each_task_exits();

    std::string directory_;
    std::string hooks_argument_;
    CpuSet cpus_before_;
    std::optional<std::string> option_;
    std::vector<std::string_view> plugstack_;
    RecordState record_state_ = RecordState::running;
    std::chrono::seconds node_limit_{60};
    FakeStep slurm_;
    std::unique_ptr<StepHooks> hooks_;
};

/// A recorded step whose tasks are still to come.
struct Recorded : Step {
    explicit Recorded(const Variables& variables = {}) : Step("profile", variables) {
        call_up_to(Hook::user_init);
    }
};

/// What task_init does with the option's variable, in every task of a step that had the option.
inline const std::string option_is_gone = std::string("unset ") + option_variable;

}  // namespace commmap::spank
