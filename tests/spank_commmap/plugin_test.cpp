// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/profile/recording/record_state.hpp"
#include "spank_commmap/slurmstepd/fake_slurm.hpp"
#include "spank_commmap/slurmstepd/fake_step.hpp"

// commmap.so as slurmd and slurmstepd load it. Each test loads the plugin in a child process.

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// The plugin in a process of Slurm's.
class Plugin {
public:
    explicit Plugin(std::vector<std::string> arguments = {})
        : arguments_(std::move(arguments)), library_(::dlopen(COMMMAP_PLUGIN_FILE, RTLD_NOW)) {
        if (library_ == nullptr) throw std::runtime_error(::dlerror());
    }

    /// Calls "slurm_spank_HOOK". Returns what Slurm logged; an exit code that is not 0 is a line.
    Deeds call(const std::string& hook, FakeStep& step) {
        slurm_log().clear();
        std::vector<char*> words;
        for (std::string& argument : arguments_) words.push_back(argument.data());
        auto* const function = reinterpret_cast<int (*)(spank_t, int, char**)>(
            ::dlsym(library_, ("slurm_spank_" + hook).c_str()));
        if (function == nullptr) return {hook + " is missing"};
        const int code = function(&step, static_cast<int>(words.size()), words.data());
        Deeds deeds = slurm_log();
        if (code != 0) deeds.push_back(hook + " returns " + std::to_string(code));
        return deeds;
    }
    Deeds give_option(const char* value) {
        slurm_log().clear();
        const int code = slurm_options().front().cb(0, value, 1);
        Deeds deeds = slurm_log();
        if (code != 0) deeds.push_back("option returns " + std::to_string(code));
        return deeds;
    }

private:
    std::vector<std::string> arguments_;
    void* library_;
};

/// A folder with the libraries that are preloaded.
class Libraries {
public:
    Libraries() : path_((fs::temp_directory_path() / "commmap-plugin-XXXXXX").string()) {
        EXPECT_NE(::mkdtemp(path_.data()), nullptr);
        for (const char* name : {"/libcommmap_hooks_ompi.so", "/libcommmap_hooks_mpich.so"})
            std::ofstream(path_ + name) << "";
    }
    Libraries(const Libraries&) = delete;
    Libraries& operator=(const Libraries&) = delete;
    ~Libraries() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Makes a library that takes tasks into containers, as far as its name says.
    [[nodiscard]] std::string container_plugin() const {
        const std::string file = path_ + "/spank_pyxis.so";
        fs::copy_file(fs::path(COMMMAP_PLUGIN_FILE).parent_path() / "commmap_task.so", file,
                      fs::copy_options::overwrite_existing);
        return file;
    }

private:
    std::string path_;
};

FakeStep recorded_step() {
    FakeStep step;
    step.command = {"/bin/true"};
    step.environment = {{"HOME", "/home/u"}, {"PATH", "/bin"}};
    return step;
}

TEST(Plugin, IsLeftAloneOutsideOfSteps) {
    for (const spank_context_t context :
         {S_CTX_SLURMD, S_CTX_JOB_SCRIPT, S_CTX_ALLOCATOR, S_CTX_REMOTE}) {
        const Deeds deeds = in_child([&] {
            slurm_context() = context;
            FakeStep step;
            step.environment = {{"SLURM_COMMMAP_OWN_JOB", "1"}};
            Plugin plugin;
            Deeds all = plugin.call("init", step);
            for (const spank_option& option : slurm_options())
                all.push_back("option " + std::string(option.name));
            for (const char* hook : {"init_post_opt", "local_user_init", "exit"})
                for (const std::string& deed : plugin.call(hook, step)) all.push_back(deed);
            for (const auto& [name, value] : step.environment) all.push_back(name);
            return all;
        });

        if (context == S_CTX_REMOTE)
            EXPECT_THAT(deeds, ElementsAre("option commmap"));
        else
            EXPECT_THAT(deeds, ElementsAre("option commmap", "SLURM_COMMMAP_OWN_JOB"));
    }
}

TEST(Plugin, NeverFailsAStepForAnOption) {
    for (const char* value : {"atuo", "", "placed9:x", static_cast<const char*>(nullptr)}) {
        const Deeds deeds = in_child([&] {
            FakeStep step = recorded_step();
            Plugin plugin;
            Deeds all = plugin.call("init", step);
            for (const std::string& deed : plugin.give_option(value)) all.push_back(deed);
            for (const char* hook : {"user_init", "task_exit", "exit"})
                for (const std::string& deed : plugin.call(hook, step)) all.push_back(deed);
            return all;
        });

        EXPECT_THAT(deeds, IsEmpty());
    }
}

/// What the end of a recorded step logs where commmap-collect is missing.
/// @param hook  "task_exit" or "exit"
Deeds logged_without_collect(const std::string& hook) {
    return in_child([&] {
        FakeStep step = recorded_step();
        step.local_tasks = 1;
        Plugin plugin;
        plugin.call("init", step);
        plugin.give_option("profile");
        plugin.call("user_init", step);
        const RecordState state = RecordState::running;  // as the task would write it
        for (int fd = 3; fd < 256; ++fd) {
            if (::lseek(fd, 0, SEEK_END) == static_cast<off_t>(record_memory_bytes))
                static_cast<void>(!::pwrite(fd, &state, sizeof state, record_state_offset));
        }
        return plugin.call(hook, step);
    });
}

TEST(Plugin, LogsWhatFailsAndLetsTheStepGoOn) {
    if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    const std::string lost = "what was recorded on this node is lost: ";

    EXPECT_THAT(logged_without_collect("task_exit"),
                ElementsAre(StartsWith("error commmap: task_exit: " + lost)));
    EXPECT_THAT(logged_without_collect("exit"),
                ElementsAre(StartsWith("debug commmap: exit: " + lost)));
}

/// The variables of a recorded step's task.
/// @param before, behind  plugins that Slurm loads before this one and after it; "": none
Deeds variables_of_task(const Libraries& libraries, const std::string& before,
                        const std::string& behind) {
    return in_child([&]() -> Deeds {
        if (!before.empty() && ::dlopen(before.c_str(), RTLD_NOW) == nullptr) return {::dlerror()};
        Plugin plugin({"hooks=" + libraries.path()});
        if (!behind.empty() && ::dlopen(behind.c_str(), RTLD_NOW) == nullptr) return {::dlerror()};
        FakeStep step = recorded_step();
        plugin.call("init", step);
        plugin.give_option("profile");
        plugin.call("user_init", step);
        return in_child([&] {
            step.task = 1;  // says nothing
            Deeds all = plugin.call("task_init", step);
            for (const auto& [name, value] : step.environment) all.push_back(name);
            return all;
        });
    });
}

TEST(Plugin, RecordsATaskUnlessAContainerPluginComesLater) {
    const Libraries libraries;
    const std::string pyxis = libraries.container_plugin();

    EXPECT_THAT(variables_of_task(libraries, "", ""), Contains("LD_PRELOAD"));
    EXPECT_THAT(variables_of_task(libraries, pyxis, ""), Contains("LD_PRELOAD"));
    EXPECT_THAT(variables_of_task(libraries, "", pyxis), ElementsAre("HOME", "PATH"));
}

}  // namespace
}  // namespace commmap::spank
