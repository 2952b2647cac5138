// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/request/step_request.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace commmap::spank {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string, std::less<>>;

/// An allocation of four nodes with two CPUs each.
Variables allocation() {
    return {{"SLURM_JOB_ID", "7"},
            {"SLURM_JOB_NODELIST", "m[0-3]"},
            {"SLURM_JOB_NUM_NODES", "4"},
            {"SLURM_JOB_CPUS_PER_NODE", "2(x4)"}};
}

StepDecision decide(const std::vector<std::string>& options, Variables variables = allocation(),
                    const std::vector<std::string>& command = {"./a"}) {
    std::vector<std::string> argv = {"srun", "--commmap=auto"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), command.begin(), command.end());
    const auto args = parse_srun_args(argv);
    EXPECT_TRUE(args) << args.error().message;
    return read_step_request(
        args.value(),
        [variables](std::string_view name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        },
        slurm_rules(slurm_version(22, 5)));
}

Variables with(const std::string& name, const std::string& value) {
    Variables variables = allocation();
    variables[name] = value;
    return variables;
}

TEST(StepRequest, TakesTheNumberOfTasksFromTheOption) {
    const StepDecision decision = decide({"-n", "8", "--mpi=pmix", "-D", "/work"});

    ASSERT_TRUE(decision.request) << decision.reason;
    EXPECT_EQ(decision.request->num_tasks, 8U);
    EXPECT_EQ(decision.request->nodes.size(), 4U);
    EXPECT_EQ(decision.request->words, std::vector<std::string>{"./a"});
    EXPECT_EQ(decision.request->directory, "/work");
    EXPECT_EQ(decision.request->mpi, "pmix");
    EXPECT_EQ(decision.request->binding_left_to, "");
}

TEST(StepRequest, LeavesAloneWhatItDoesNotHandleWhereverTheOptionStands) {
    const std::vector<std::vector<std::string>> left = {{"--multi-prog"},
                                                        {"-Z"},
                                                        {"--jobid=3"},
                                                        {"-F", "file"},
                                                        {"-m", "cyclic"},
                                                        {"--distribution=block"},
                                                        {"-O"},
                                                        {"-M", "other"},
                                                        {"--ntasks-per-core=1"},
                                                        {"--hint=nomultithread"},
                                                        {"-B1:1:1"},
                                                        {"--het-group=0"},
                                                        {"-S1"},
                                                        {"-C", "fast"},
                                                        {"--external-launcher"}};
    for (const auto& option : left) {
        std::vector<std::string> before = option;
        before.insert(before.end(), {"-n8", "-l"});
        std::vector<std::string> after = {"-l", "-n8"};
        after.insert(after.end(), option.begin(), option.end());

        EXPECT_FALSE(decide(before).request) << option.front();
        EXPECT_FALSE(decide(before).reason.empty()) << option.front();
        EXPECT_EQ(decide(before).reason, decide(after).reason);
        EXPECT_EQ(decide(before).reason.find('\n'), std::string::npos);
    }
}

TEST(StepRequest, LeavesAloneWhatTheEnvironmentAsksFor) {
    for (const char* name : {"SLURM_HOSTFILE", "SLURM_DISTRIBUTION", "SLURM_OVERCOMMIT",
                             "SLURM_HET_SIZE", "SLURM_SRUN_MULTI", "SLURM_HINT"}) {
        EXPECT_THAT(decide({"-n8"}, with(name, "x")).reason, testing::Not(testing::IsEmpty()))
            << name;
    }
}

TEST(StepRequest, SaysWhetherOnlyTheOrderIsLeftAlone) {
    EXPECT_TRUE(decide({"-n8", "-m", "cyclic"}).order_only);
    EXPECT_TRUE(decide({"-n8", "--hint=nomultithread"}).order_only);
    EXPECT_TRUE(decide({"-n8"}, with("SLURM_HOSTFILE", "x")).order_only);
    EXPECT_FALSE(decide({"-n8", "--multi-prog"}).order_only);
    EXPECT_FALSE(decide({"-n8", "-m", "cyclic", "-O"}).order_only);
    EXPECT_EQ(decide({"-n8", "-m", "cyclic", "-O"}).reason.substr(0, 12), "--overcommit");
    EXPECT_FALSE(decide({"-n8", "--gpus=1"}).order_only);
}

TEST(StepRequest, CpusInTresPerTaskAreNoDevices) {
    Variables job = with("SLURM_TRES_PER_TASK", "cpu:2");
    EXPECT_FALSE(decide({"-n4"}, job).request);
    job["SLURM_CPUS_PER_TASK"] = "2";
    EXPECT_TRUE(decide({"-n4"}, job).request);
    job["SLURM_TRES_PER_TASK"] = "cpu:2,gres/gpu:1";
    EXPECT_FALSE(decide({"-n4"}, job).request);
}

TEST(StepRequest, HeterogeneousStep) {
    EXPECT_THAT(decide({"-n8"}, allocation(), {"./a", ":", "-n1", "./b"}).reason, HasSubstr("':'"));
    EXPECT_TRUE(decide({"-n8"}, allocation(), {"./a", "x:y"}).request);
}

TEST(StepRequest, CpusPerTask) {
    const auto cpus = [](const std::vector<std::string>& options, const Variables& variables) {
        return decide(options, variables).request->cpus_per_task;
    };
    EXPECT_EQ(cpus({"-n4", "-c2"}, allocation()), 2U);
    EXPECT_EQ(cpus({"-n4"}, with("SRUN_CPUS_PER_TASK", "2")), 2U);
    EXPECT_EQ(cpus({"-n4", "-c1"}, with("SLURM_CPUS_PER_TASK", "2")), 1U);
    EXPECT_EQ(decide({"-n4", "-c2"}).request->binding_left_to, "");
    EXPECT_THAT(decide({"-n4", "-c", "two"}).reason, HasSubstr("--cpus-per-task"));
}

TEST(StepRequest, APartOfTheJob) {
    const StepDecision decision =
        decide({"-n4", "-N2", "-w", "m[1,3]"}, with("SLURM_JOB_CPUS_PER_NODE", "2,4,2(x2)"));

    ASSERT_TRUE(decision.request) << decision.reason;
    EXPECT_THAT(decision.request->nodes, testing::ElementsAre("m1", "m3"));
    EXPECT_EQ(decision.request->nodelist, "m1,m3");
    EXPECT_EQ(decision.request->cpus_per_node, "4,2");
}

TEST(StepRequest, NothingToSayForOneTaskOrNoLaunch) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"-n1"}, {"-n8", "--test-only"}, {"-n8", "--help"}}) {
        EXPECT_FALSE(decide(options).request);
        EXPECT_EQ(decide(options).reason, "");
    }
    EXPECT_EQ(decide({"-n8"}, allocation(), {}).reason, "");
}

TEST(StepRequest, UnusableDescriptionOfTheAllocation) {
    EXPECT_THAT(decide({"-n8"}, with("SLURM_JOB_NODELIST", "m[0-")).reason,
                HasSubstr("'m[0-' cannot be read"));
    EXPECT_THAT(decide({"-n8"}, with("SLURM_JOB_CPUS_PER_NODE", "")).reason,
                HasSubstr("SLURM_JOB_CPUS_PER_NODE"));
    EXPECT_THAT(decide({"-nx"}).reason, HasSubstr("--ntasks=x is not a number"));
}

TEST(StepRequest, TheUsersBindingStays) {
    for (const char* value : {"map_cpu:0,1", "mask_cpu:0x1", "none", "no", "rank", "sockets",
                              "verbose,map_cpu:1", "ldoms"}) {
        EXPECT_EQ(decide({"-n8", std::string("--cpu-bind=") + value}).request->binding_left_to,
                  std::string("--cpu-bind=") + value);
        EXPECT_EQ(decide({"-n8"}, with("SLURM_CPU_BIND", value)).request->binding_left_to,
                  std::string("SLURM_CPU_BIND=") + value);
    }
    for (const char* value : {"cores", "verbose", "q,cores", "threads"}) {
        EXPECT_EQ(decide({"-n8", std::string("--cpu-bind=") + value}).request->binding_left_to, "");
    }
}

TEST(StepRequest, TheProgramBehindWhere) {
    using Words = std::vector<std::string>;
    for (const Words& own :
         {Words{"./app", "where", "--command", "x"}, Words{"commmap", "where"},
          Words{"commmap", "plan", "--command", "x"}, Words{"commmap", "where", "--command"}})
        EXPECT_EQ(planned_words(own), own);
    EXPECT_EQ(planned_words(Words{"/opt/bin/commmap", "where", "--command", "./app"}),
              Words{"./app"});
    EXPECT_EQ(planned_words(Words{"commmap", "where", "--report", "r", "--command=./app"}),
              Words{"./app"});
}

TEST(StepRequest, KnowsAStepFromAScriptAndAShell) {
    const auto inside = [](const char* step) {
        return inside_a_step([step](std::string_view name) -> std::optional<std::string> {
            if (name != "SLURM_STEP_ID" || step == nullptr) return std::nullopt;
            return step;
        });
    };

    EXPECT_TRUE(inside("0"));
    EXPECT_TRUE(inside("12"));
    EXPECT_FALSE(inside(nullptr));
    EXPECT_FALSE(inside("4294967291"));  // batch script
    EXPECT_FALSE(inside("4294967290"));  // interactive shell
    EXPECT_FALSE(inside("x"));
}

TEST(Locate, AsTheTaskWould) {
    char directory[] = "/tmp/commmap-locate-XXXXXX";
    ASSERT_NE(::mkdtemp(directory), nullptr);
    const std::string base = directory;
    const std::string program = base + "/tool";
    FILE* file = std::fopen(program.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fclose(file);

    EXPECT_FALSE(locate({"./tool"}, base, "/", ""));  // not executable
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);

    const std::string parent = "/tmp";
    const std::string name = base.substr(parent.size() + 1);
    const auto located = locate({"./tool", "a", "b c"}, name, parent, "");
    ASSERT_TRUE(located.ok());
    EXPECT_EQ(located.value().asked_about({"plan", "--seed", "1"}),
              (std::vector<std::string>{"plan", "--seed", "1", "--command", base + "/./tool",
                                        "--chdir", base, "--", "a", "b c"}));
    EXPECT_EQ(locate({"tool"}, "", "/", base).value().asked_about({}),
              (std::vector<std::string>{"--command", program, "--chdir", "/"}));
    EXPECT_EQ(locate({"./tool"}, base, "/elsewhere", "").value().directory, base);
    const std::vector<std::string> many(100, program);
    EXPECT_EQ(locate(many, "", "/", "").value().asked_about({}).size(), 4U + 1U + 63U);
    EXPECT_FALSE(locate({"nothing"}, "", "/", base));
    EXPECT_FALSE(locate({base}, "", "/", ""));  // a directory

    ::unlink(program.c_str());
    ::rmdir(directory);
}

}  // namespace
}  // namespace commmap::spank
