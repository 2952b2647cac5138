// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Programs under mpirun with libcommmap_clock.so preloaded.
#include "core/base/own_name.hpp"
#include "pmix_hooks/recorded_run.hpp"

#include <chrono>

namespace commmap {
namespace {

using testing::HasSubstr;

class RunClockTest : public RecordedRun {
protected:
    /// One rank: what rank 0 has in a job.
    Outcome timed(const std::string& program, const std::string& file) {
        return mpirun(1, program,
                      "-x LD_PRELOAD=" COMMMAP_CLOCK_LIBRARY " -x COMMMAP_CLOCK=" + file);
    }
    void make_inbox() { fs::create_directories(profiles_ / own_name("history") / "new"); }
    fs::path file() const { return profiles_ / own_name("history") / "new/12.3.clock"; }
};

TEST_F(RunClockTest, TimesProgramsOfEachLanguage) {
    make_inbox();
    for (const std::string program :
         {"traffic sends", "traffic_f77", "traffic_mpi", "traffic_f08", "local_scope sends",
          "traffic_with_tool sends", "ends_at_exit"}) {
        const Outcome plain = mpirun(1, program);
        const auto begin = std::chrono::steady_clock::now();
        const Outcome outcome = timed(program, file().string());
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;

        EXPECT_EQ(outcome.exit_code, plain.exit_code) << program << ": " << outcome.err;
        EXPECT_EQ(outcome.out, plain.out) << program;
        ASSERT_TRUE(fs::exists(file())) << program << ": " << outcome.err;
        const std::string text = text_of(file());
        const double seconds = std::stod(text);
        EXPECT_GT(seconds, 0.0) << program;
        EXPECT_LT(seconds, elapsed.count()) << program;
        EXPECT_EQ(text.find('\n'), text.size() - 1) << program;
        fs::remove(file());
    }
}

TEST_F(RunClockTest, TwoProgramsOneAfterTheOtherHaveNoTime) {
    make_inbox();
    EXPECT_EQ(timed("traffic sends", file().string()).exit_code, 0);
    EXPECT_NE(text_of(file()), "several\n");
    EXPECT_EQ(timed("traffic sends", file().string()).exit_code, 0);
    EXPECT_EQ(text_of(file()), "several\n");
}

TEST_F(RunClockTest, WhatTheProgramStartsHasNothingOfIt) {
    make_inbox();
    const Outcome outcome = timed("traffic children", file().string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("and load \n"));
    EXPECT_NE(text_of(file()), "several\n");
}

TEST_F(RunClockTest, AProgramThatMayNotWriteEndsAsItWould) {
    make_inbox();
    const std::string command = "bash -c \"ulimit -f 0; exec " + programs + "/traffic sends\"";
    const Outcome outcome = run_shell(
        mpirun_words() + "-np 1 -x LD_PRELOAD=" COMMMAP_CLOCK_LIBRARY " -x COMMMAP_CLOCK=" +
        file().string() + " " + command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(fs::exists(file()));
}

TEST_F(RunClockTest, AStandInForMpiGoesOn) {
    const Outcome serial = timed("serial_mpi", file().string());
    const Outcome plain = mpirun(1, "serial_mpi");
    EXPECT_EQ(serial.exit_code, plain.exit_code) << serial.err;
    EXPECT_EQ(serial.out, plain.out);
}

TEST_F(RunClockTest, AFileThatCannotBeWrittenChangesNothing) {
    for (const std::string& path : {file().string(), std::string("/proc/nowhere/x"),
                                    std::string("relative"), std::string("/"), std::string()}) {
        const Outcome outcome = timed("traffic sends", path);
        EXPECT_EQ(outcome.exit_code, 0) << path << ": " << outcome.err;
        EXPECT_EQ(outcome.err.find("commmap"), std::string::npos) << path << ": " << outcome.err;
    }
    EXPECT_FALSE(fs::exists(profiles_));  // nobody's first profile makes it
}

}  // namespace
}  // namespace commmap
