// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/history/store/inbox.hpp"
#include "core/profile/store/unfinished_path.hpp"
#include "spank_commmap/srun/fake_launch.hpp"
#include "spank_commmap/srun/srun_launch.hpp"

namespace commmap::spank {

using Words = std::vector<std::string>;
using Variables = TestEnvironment::Variables;

/// What a planner tells of a run, for its record.
inline const std::string planned = "placed 1f 2e 0.5 0.75 0.1 app build-id:0a";

/// The variables of a job of two nodes, as salloc makes them for its sruns.
inline const Variables allocation = {{"SLURM_JOB_ID", "7"},
                                     {"SLURM_JOB_NODELIST", "m[0-1]"},
                                     {"SLURM_JOB_NUM_NODES", "2"},
                                     {"SLURM_JOB_CPUS_PER_NODE", "2(x2)"}};
/// The same, as srun makes them for the tasks of a job of its own.
inline const Variables own_job = {
    {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_JOB_CPUS_PER_NODE", "2(x2)"}};

enum class Hook { init, option, init_post_opt, local_user_init, exit };

/// One srun between its start and its end, with a fake Slurm and a small environment. Its user has
/// a profile. In what a hook did, DIR stands for the user's directory of profiles.
class Srun {
public:
    explicit Srun(Words words, const Variables& variables = {})
        : directory_((std::filesystem::temp_directory_path() / "commmap-srun-XXXXXX").string()),
          made_(::mkdtemp(directory_.data()) != nullptr),
          environment_({{"PATH", "/bin"}, {"COMMMAP_PROFILE_DIR", directory_}}),
          command_line_(std::move(words)) {
        EXPECT_TRUE(made_);
        TestEnvironment::add(variables);
        for (const std::string& word : command_line_)
            if (word.starts_with("--commmap=")) option_ = word.substr(word.find('=') + 1);
        std::ofstream(directory_ + "/app.commmap") << "a profile";
    }
    Srun(const Srun&) = delete;
    Srun& operator=(const Srun&) = delete;
    ~Srun() {
        std::error_code ignored;  // a child that still writes a record there
        std::filesystem::remove_all(directory_, ignored);
    }

    /// Calls one hook. Returns what the hook did, then what it changed in srun's environment.
    Deeds call(Hook hook) {
        switch (hook) {
            case Hook::init:
                return deeds_of([this] {
                    launch_.init(command_line_, plugstack_);
                    return Status(Ok{});
                });
            case Hook::option:
                return deeds_of(
                    [this] { return option_ ? launch_.option(*option_) : Status(Ok{}); });
            case Hook::init_post_opt:
                return deeds_of([this] { return launch_.init_post_opt(); });
            case Hook::local_user_init:
                TestEnvironment::add(made_before_the_step_);
                return deeds_of([this] {
                    launch_.local_user_init(7, 0);
                    return Status(Ok{});
                });
            case Hook::exit:
                return deeds_of([this] { return launch_.exit(); });
        }
        return {};
    }
    /// Calls the hooks up to this one, in Slurm's order. Returns what the last one did.
    Deeds call_up_to(Hook last) {
        Deeds deeds;
        for (const Hook hook :
             {Hook::init, Hook::option, Hook::init_post_opt, Hook::local_user_init, Hook::exit}) {
            if (hook <= last) deeds = call(hook);
        }
        return deeds;
    }
    /// Runs the handlers of the process's end, which does not end. Returns what they did.
    Deeds end(int status) {
        return deeds_of([&] {
            actions_.run_exit_handlers(status);
            return Status(Ok{});
        });
    }
    /// Another value of --commmap than the command line's.
    void give_option(const std::string& value) { option_ = value; }
    void set_plugstack(std::vector<std::string_view> arguments) {
        plugstack_ = std::move(arguments);
    }
    /// Variables that srun itself makes before the step.
    void set_made_before_the_step(Variables variables) {
        made_before_the_step_ = std::move(variables);
    }
    [[nodiscard]] FakeSlurm& slurm() { return slurm_; }
    [[nodiscard]] FakeActions& actions() { return actions_; }

    [[nodiscard]] const std::string& directory() const { return directory_; }
    /// Records that wait for a planner.
    [[nodiscard]] std::size_t num_records() const {
        std::error_code error;
        const std::filesystem::directory_iterator files(history_directory(directory_) + "/new",
                                                        error);
        return error ? 0
                     : static_cast<std::size_t>(
                           std::distance(files, std::filesystem::directory_iterator()));
    }
    /// What nodes leave of a recorded step whose tasks could not save a profile.
    void keep_parts_of_step() const {
        std::filesystem::create_directories(unfinished_path(directory_, 7, 0));
    }

private:
    Deeds deeds_of(const std::function<Status()>& hook) {
        deeds_.clear();
        const Variables before = TestEnvironment::now();
        try {
            if (const Status status = hook(); !status)
                deeds_.push_back("error " + status.error().message);
        } catch (const Ended& ended) {
            deeds_.push_back("end with " + std::to_string(ended.status));
        }
        const Variables after = TestEnvironment::now();
        for (const auto& [name, value] : before)
            if (!after.contains(name)) deeds_.push_back("unset " + name);
        for (const auto& [name, value] : after)
            if (const auto old = before.find(name); old == before.end() || old->second != value)
                deeds_.push_back(name + "=" + value);
        for (std::string& deed : deeds_)
            for (auto at = deed.find(directory_); at != std::string::npos;
                 at = deed.find(directory_))
                deed.replace(at, directory_.size(), "DIR");
        return deeds_;
    }

    std::string directory_;
    bool made_;
    TestEnvironment environment_;
    Words command_line_;
    std::optional<std::string> option_;
    std::vector<std::string_view> plugstack_;
    Variables made_before_the_step_;
    Deeds deeds_;
    FakeSlurm slurm_{deeds_};
    FakeActions actions_{deeds_};
    SrunLaunch launch_{slurm_, actions_};
};

inline Words srun(const std::string& commmap) {
    return {"srun", "-n4", "--commmap=" + commmap, "./app"};
}

/// A srun outside an allocation, which makes a job of its own.
inline std::unique_ptr<Srun> standalone(const std::string& commmap) {
    auto it = std::make_unique<Srun>(srun(commmap));
    it->set_made_before_the_step(own_job);
    return it;
}

/// Makes a host file as the first srun hands it on. The hook closes it.
inline int hostfile(const std::string& hosts) {
    const auto file = hostfile_in_memory(hosts);
    EXPECT_TRUE(file) << "no memory";
    return ::dup(file.value().get());
}

/// A srun that was started again.
/// @param job  ":number:pipe of the shepherd" where the first srun made the job
inline std::unique_ptr<Srun> second_srun(const std::string& hosts, const std::string& job = "") {
    const Words words = {"srun", "--ntasks=4", "--commmap=placed1:", "./app"};
    auto it = std::make_unique<Srun>(words, allocation);
    TestEnvironment::add({{"COMMMAP_RELAUNCH", std::to_string(::getpid()) + ":" +
                                                   std::to_string(hostfile(hosts)) + job},
                          {"SLURM_HOSTFILE", "/proc/self/fd/9"},
                          {"COMMMAP_ASIDE_RECORD", planned},
                          {"COMMMAP_ASIDE_SLURM_NTASKS_PER_NODE", "2"},
                          {"SLURM_COMMMAP_OWN_JOB", "1"}});
    return it;
}

}  // namespace commmap::spank
