// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/relaunch/reexec.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace commmap::spank {
namespace {

using testing::ElementsAre;

std::vector<std::string> placed(const std::vector<std::string>& argv) {
    const auto args = parse_srun_args(argv);
    EXPECT_TRUE(args) << args.error().message;
    return placed_command_line(args.value(), 4, "placed:0@0x4", false);
}

TEST(Reexec, WritesLongOptionsInTheOldOrderAndDropsWhatAHostFileReplaces) {
    EXPECT_THAT(
        placed({"/usr/bin/srun", "-lN2", "-n4", "--cpu-b=cores", "-t5", "--export=ALL,A=b c",
                "--commmap", "auto", "-K", "--ntasks-per-node=2", "./a", "-n", "1"}),
        ElementsAre("/usr/bin/srun", "--label", "--cpu-bind=cores", "--time=5",
                    "--export=ALL,A=b c", "--kill-on-bad-exit", "--ntasks=4",
                    "--commmap=placed:0@0x4", "./a", "-n", "1"));
}

TEST(Reexec, KeepsOddCommands) {
    EXPECT_THAT(placed({"srun", "-n4", "--", "-odd", "--x"}),
                ElementsAre("srun", "--ntasks=4", "--commmap=placed:0@0x4", "--", "-odd", "--x"));
    EXPECT_THAT(
        placed({"srun", "-J", "", "a", "", "a b"}),
        ElementsAre("srun", "--job-name=", "--ntasks=4", "--commmap=placed:0@0x4", "a", "", "a b"));
}

/// The second srun must read from the new command line what the first read from the old one.
TEST(Reexec, TheNewCommandLineMeansTheSame) {
    const auto first =
        parse_srun_args({"srun", "-vvun4", "-I5", "--exclusive", "-o", "out-%t", "-J", "x y", "a"});
    const auto second = parse_srun_args(placed_command_line(first.value(), 4, "placed:", false));

    ASSERT_TRUE(second);
    for (const char* name :
         {"verbose", "unbuffered", "immediate", "exclusive", "output", "job-name", "ntasks"}) {
        EXPECT_EQ(first.value().value_of(name), second.value().value_of(name)) << name;
    }
    EXPECT_EQ(first.value().command, second.value().command);
}

TEST(Reexec, AJobOfItsOwnIsNotAskedForTwice) {
    const auto args = parse_srun_args({"srun", "-N2", "-t5", "-C", "fast", "--begin=now", "-I",
                                       "--exclusive", "--prolog=./p", "--mem=1G", "a"});
    EXPECT_THAT(
        placed_command_line(args.value(), 4, "placed:", true),
        ElementsAre("srun", "--mem=1G", "--prolog=none", "--ntasks=4", "--commmap=placed:", "a"));
    const auto with_cpus = parse_srun_args({"srun", "-c2", "--exclusive", "a"});
    EXPECT_THAT(placed_command_line(with_cpus.value(), 4, "placed:", true),
                testing::Contains("--exclusive"));
}

TEST(Reexec, VariablesAreSetAsideAndPutBack) {
    ::setenv("SLURM_NTASKS_PER_NODE", "2", 1);
    ::setenv("SLURM_TIMELIMIT", "7", 1);
    const auto args = parse_srun_args({"srun", "--ntasks-per-node=4", "a"});

    set_aside_variables(args.value(), false);
    EXPECT_EQ(std::getenv("SLURM_NTASKS_PER_NODE"), nullptr);
    EXPECT_STREQ(std::getenv("SLURM_TIMELIMIT"), "7");
    put_back_variables();
    EXPECT_STREQ(std::getenv("SLURM_NTASKS_PER_NODE"), "4");  // what the option would have made

    set_aside_variables(args.value(), true);
    EXPECT_EQ(std::getenv("SLURM_TIMELIMIT"), nullptr);
    put_back_variables();
    EXPECT_STREQ(std::getenv("SLURM_TIMELIMIT"), "7");
    for (char** variable = environ; *variable != nullptr; ++variable)
        EXPECT_EQ(std::string(*variable).find("COMMMAP_ASIDE"), std::string::npos);
    ::unsetenv("SLURM_NTASKS_PER_NODE");
    ::unsetenv("SLURM_TIMELIMIT");
}

TEST(Reexec, MarkOfAJobOfItsOwn) {
    const auto read = [](const std::string& tail) {
        ::setenv(Relaunch::variable, (std::to_string(::getpid()) + tail).c_str(), 1);
        const auto found = Relaunch::of_this_process();
        ::unsetenv(Relaunch::variable);
        return found;
    };
    ASSERT_TRUE(read(":5:77:6"));
    EXPECT_EQ(read(":5:77:6")->own_job->job, 77U);
    EXPECT_EQ(read(":5:77:6")->own_job->shepherd, 6);
    for (const char* tail : {":5:77", ":5:0:6", ":5:77:2", ":5:77:6:1", ":5:77:", ":5:x:6"})
        EXPECT_FALSE(read(tail)) << tail;
}

TEST(Reexec, TheHostFileCanBeReadByItsPath) {
    const auto fd = hostfile_in_memory("m0\nm1\n");

    ASSERT_TRUE(fd) << fd.error().message;
    EXPECT_GE(fd.value().get(), 3);
    for (int times = 0; times < 2; ++times) {
        std::ifstream file("/proc/self/fd/" + std::to_string(fd.value().get()));
        std::ostringstream content;
        content << file.rdbuf();
        EXPECT_EQ(content.str(), "m0\nm1\n");
    }
}

TEST(Reexec, TheMarkCountsOnlyInItsOwnProcess) {
    const auto mark = [](const std::string& value) {
        ::setenv(Relaunch::variable, value.c_str(), 1);
        const auto found = Relaunch::of_this_process();
        ::unsetenv(Relaunch::variable);
        return found ? found->hostfile_fd : -1;
    };
    const std::string self = std::to_string(::getpid());

    EXPECT_EQ(mark(self + ":7"), 7);
    EXPECT_EQ(mark(std::to_string(::getppid()) + ":7"), -1);
    for (const std::string& bad : {self, self + ":", self + ":x", self + ":2", std::string(":7"),
                                   std::string("x:7"), std::string()}) {
        EXPECT_EQ(mark(bad), -1) << bad;
    }
    EXPECT_FALSE(Relaunch::of_this_process());
}

}  // namespace
}  // namespace commmap::spank
