// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/launched_program.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/program/program_files.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class LaunchedProgramTest : public ProgramFiles {
protected:
    LaunchedProgramTest() {
        for (const char* program : {"app", "9=app", "numactl", "env", "python3.11", "time", "perf",
                                    "bash", "timeout", "taskset", "nice"})
            write(program, std::string("#!/bin/") + program);
        write("train.py", "print(1)", 0644);
    }
    [[nodiscard]] std::string command_of(const Words& words) const {
        const LaunchedProgram program = find_launched_program(words, directory_, directory_);
        return program.command + (program.script.empty() ? "" : " | " + program.script);
    }
    [[nodiscard]] std::string id_of(const Words& words) const {
        const auto inspected = inspect_launched(
            find_launched_program(words, directory_, directory_), directory_, directory_);
        EXPECT_TRUE(inspected) << inspected.error().message;
        return inspected ? inspected.value().executable.application_id : "";
    }
};

TEST_F(LaunchedProgramTest, StartersAreNotTheProgram) {
    EXPECT_EQ(command_of({"./app", "train.py"}), "./app");
    EXPECT_EQ(command_of({"numactl", "-N", "0", "--membind=0", "./app", "numactl"}), "./app");
    EXPECT_EQ(command_of({"numactl", "--interleave", "all", "-C", "app", "./9=app"}), "./9=app");
    EXPECT_EQ(command_of({"numactl", "--", "app"}), "app");
    EXPECT_EQ(command_of({"env", "A=./app", "-u", "time", "app"}), "app");
    EXPECT_EQ(command_of({"timeout", "-s", "time", "10", "app", "-x"}), "app");
    EXPECT_EQ(command_of({"timeout", "-k5", "10", "app"}), "app");
    EXPECT_EQ(command_of({"taskset", "-c", "time", "app"}), "app");
    EXPECT_EQ(command_of({"nice", "-n5", "nice", "-n", "5", "app"}), "app");
    EXPECT_EQ(command_of({"perf", "time", "./app"}), "perf");
    EXPECT_EQ(command_of({"time", "env", "python3.11", "-u", "train.py", "app"}),
              "python3.11 | train.py");
    EXPECT_EQ(command_of({"numactl", "--show"}), "numactl");
    EXPECT_EQ(command_of({"numactl", "absent"}), "numactl");
    EXPECT_EQ(command_of({}), "");
}

TEST_F(LaunchedProgramTest, InterpretersHaveAScript) {
    EXPECT_EQ(command_of({"python3.11", "train.py"}), "python3.11 | train.py");
    EXPECT_EQ(command_of({"/usr/bin/python3", "-W", "ignore", directory_ + "/train.py", "app"}),
              "/usr/bin/python3 | " + directory_ + "/train.py");
    EXPECT_EQ(command_of({"python3.11", "-m", "mpi4py", "train.py"}), "python3.11 | -m mpi4py");
    EXPECT_EQ(command_of({"python3.11", "-c", "import train.py", "train.py"}), "python3.11");
    EXPECT_EQ(command_of({"bash", "-lc", "echo", "train.py"}), "bash");
    EXPECT_EQ(command_of({"bash", "-l", "train.py"}), "bash | train.py");
    fs::resize_file(directory_ + "/train.py", std::uintmax_t{5} << 20);
    EXPECT_EQ(command_of({"bash", "train.py"}), "bash");
    EXPECT_EQ(command_of({"python3.11", "absent.py"}), "python3.11");
    EXPECT_EQ(command_of({"python3.11"}), "python3.11");
}

TEST_F(LaunchedProgramTest, TheScriptIsInTheIdentity) {
    const std::string interpreter = id_of({"python3.11"});
    const std::string script = id_of({"python3.11", "train.py"});
    EXPECT_EQ(script.substr(0, interpreter.size() + 8), interpreter + ".script-");
    EXPECT_EQ(script.size(), interpreter.size() + 8 + 16);
    EXPECT_EQ(id_of({"env", "python3.11", "-u", "./train.py", "more"}), script);
    write("train.py", "print(2)", 0644);
    EXPECT_NE(id_of({"python3.11", "train.py"}), script);
    EXPECT_EQ(id_of({"python3.11", "-m", "mpi4py"}), interpreter + ".module-mpi4py");
    EXPECT_EQ(id_of({"numactl", "./app"}), id_of({"app"}));
}

TEST_F(LaunchedProgramTest, AContainerIsKnownByItsRuntime) {
    const auto in_container = [&](const std::string& name, const std::string& content) {
        write(name, content);
        const LaunchedProgram program =
            find_launched_program({"./" + name}, directory_, directory_);
        const auto inspected = inspect_launched(program, directory_, directory_);
        EXPECT_TRUE(inspected) << inspected.error().message;
        return inspected && runs_in_container(program.command, inspected.value().executable);
    };
    EXPECT_TRUE(in_container("apptainer", "a program"));
    EXPECT_TRUE(in_container("run-singularity", "#!/bin/sh\n"));
    EXPECT_TRUE(in_container("image.sif", "#!/usr/bin/env run-singularity\n"));
    EXPECT_TRUE(in_container("image", "#! /opt/bin/run-singularity"));
    EXPECT_TRUE(in_container("split", "#!/usr/bin/env -S apptainer run\n"));
    EXPECT_FALSE(in_container("script", "#!/bin/sh\nexec apptainer run image.sif\n"));
    EXPECT_FALSE(in_container("another", "#!/usr/bin/env run-singularity-later\n"));
    EXPECT_FALSE(in_container("program", "a program"));
}

TEST_F(LaunchedProgramTest, PeopleSeeTheScript) {
    const auto shown = [&](const Words& words) {
        return inspect_launched(find_launched_program(words, directory_, directory_), directory_,
                                directory_)
            .value()
            .shown_path;
    };
    EXPECT_EQ(shown({"python3.11", "train.py"}), directory_ + "/train.py");
    EXPECT_EQ(shown({"env", "app"}), fs::canonical(directory_ + "/app").string());
}

}  // namespace
}  // namespace commmap
