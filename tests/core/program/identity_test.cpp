// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/identity.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/program/program_files.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class IdentityTest : public ProgramFiles {
protected:
    std::string compile(const std::string& name, const std::string& options) {
        write("main.c", "int main(void) { return 0; }\n");
        const std::string path = directory_ + "/" + name;
        EXPECT_EQ(
            std::system(("cc " + options + " -o " + path + " " + directory_ + "/main.c").c_str()),
            0);
        return path;
    }
    static Executable inspect(const std::string& path) {
        const Result<Executable> executable = inspect_executable(path);
        EXPECT_TRUE(executable) << executable.error().message;
        return executable ? executable.value() : Executable{};
    }
};

std::string output_of(const std::string& command) {
    std::string text;
    std::array<char, 256> line{};
    FILE* pipe = ::popen(command.c_str(), "r");
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) text += line.data();
    ::pclose(pipe);
    return text;
}

using Kind = Executable::Kind;

TEST_F(IdentityTest, TakesTheBuildIdThatReadelfShows) {
    const std::string path = compile("dynamic", "-Wl,--build-id=sha1");

    const Executable executable = inspect(path);

    EXPECT_EQ(executable.kind, Kind::dynamic_elf);
    EXPECT_EQ(executable.path, fs::canonical(path));
    EXPECT_EQ(executable.application_id + "\n",
              "build-id:" + output_of("readelf -n " + path + " | sed -n 's/.*Build ID: //p'"));
}

TEST_F(IdentityTest, FindsTheBuildIdOfAStrippedProgram) {
    const std::string path = compile("stripped", "-Wl,--build-id=sha1");
    const std::string before = inspect(path).application_id;

    ASSERT_EQ(std::system(("strip " + path).c_str()), 0);

    EXPECT_EQ(inspect(path).application_id, before);
}

TEST_F(IdentityTest, HashesAProgramWithoutBuildId) {
    const std::string path = compile("plain", "-Wl,--build-id=none");
    const Executable executable = inspect(path);
    EXPECT_EQ(executable.kind, Kind::dynamic_elf);
    EXPECT_THAT(executable.application_id, StartsWith("xxh128:"));
    EXPECT_EQ(executable.application_id.size(), 7u + 32u);

    std::ofstream(path, std::ios::app) << "x";

    EXPECT_NE(inspect(path).application_id, executable.application_id);
}

TEST_F(IdentityTest, TellsStaticPrograms) {
    EXPECT_EQ(inspect(compile("static", "-static")).kind, Kind::static_elf);
    EXPECT_EQ(inspect(compile("static-pie", "-static-pie")).kind, Kind::static_elf);
    EXPECT_THAT(inspect(compile("dynamic", "")).loader, HasSubstr("/ld-linux"));
    EXPECT_EQ(inspect(compile("static", "-static")).loader, "");
    const std::string own = compile("own-loader", "-Wl,--dynamic-linker=/gnu/store/loader");
    EXPECT_EQ(inspect(own).loader, "/gnu/store/loader");
    EXPECT_EQ(inspect(compile("no-pie", "-no-pie")).kind, Kind::dynamic_elf);
}

TEST_F(IdentityTest, TellsProgramsOfAnotherMachine) {
    const std::string path = compile("whole", "");
    std::ifstream file(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    constexpr std::size_t place_of_machine = 18;
    std::string of_another_machine = content;
    ++of_another_machine[place_of_machine];
    EXPECT_EQ(inspect(write("foreign", of_another_machine)).kind, Kind::foreign_elf);
    std::string of_32_bits = content;
    of_32_bits[EI_CLASS] = ELFCLASS32;
    EXPECT_EQ(inspect(write("short", of_32_bits)).kind, Kind::foreign_elf);
}

TEST_F(IdentityTest, TellsScriptsAndOtherFiles) {
    const Executable script = inspect(write("script", "#!/bin/sh\ntrue\n"));
    EXPECT_EQ(script.kind, Kind::script);
    EXPECT_EQ(script.interpreter, "/bin/sh");
    const std::string long_line(300, 'x');
    EXPECT_EQ(inspect(write("script", "#!" + long_line)).interpreter, long_line.substr(0, 254));
    EXPECT_THAT(script.application_id, StartsWith("xxh128:"));
    EXPECT_EQ(inspect(write("empty", "")).kind, Kind::other);
    // XXH3-128 of nothing, as the xxhash project gives it
    EXPECT_EQ(inspect(write("empty", "")).application_id,
              "xxh128:99aa06d3014798d86001c324468d497f");
    EXPECT_EQ(inspect(write("text", "hello")).kind, Kind::other);
}

TEST_F(IdentityTest, SurvivesDamagedPrograms) {
    const std::string path = compile("whole", "-Wl,--build-id=sha1");
    std::ifstream file(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t length = 0; length < 1200; length += 7)
        EXPECT_TRUE(inspect_executable(write("cut", content.substr(0, length))));
    for (std::size_t at = 0; at < 1024; ++at) {
        std::string damaged = content;
        damaged[at] = static_cast<char>(0xff);
        EXPECT_TRUE(inspect_executable(write("damaged", damaged))) << at;
    }
}

TEST_F(IdentityTest, RefusesWhatIsNoFile) {
    EXPECT_EQ(inspect_executable(directory_).error().code, Errc::invalid_input);
    EXPECT_EQ(inspect_executable(directory_ + "/absent").error().code, Errc::not_found);
    ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0700), 0);
    EXPECT_EQ(inspect_executable(directory_ + "/fifo").error().code, Errc::invalid_input);
}

}  // namespace
}  // namespace commmap
