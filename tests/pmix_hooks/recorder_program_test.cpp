// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The recorder changes nothing for the program: its output, its exit code, its MPI, its memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(RecorderTest, IsSilentWithoutBeingAsked) {
    const Outcome outcome =
        mpirun(2, "traffic sends",
               "-x LD_PRELOAD=" + library + " -x COMMMAP_PROFILE_DIR=" + profiles_.string());

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, LeavesOtherProgramsAlone) {
    for (const std::string command :
         {"/bin/true", "bash -c 'echo one; exit 5'", "python3 -c 'print(2)'", "/bin/ls /"}) {
        const Outcome plain = run_shell(command);

        const Outcome outcome =
            run_shell("LD_BIND_NOW=1 LD_PRELOAD=" + library + " COMMMAP_RECORD=1 " + command);

        EXPECT_EQ(outcome.exit_code, plain.exit_code) << command;
        EXPECT_EQ(outcome.out, plain.out) << command;
        EXPECT_EQ(outcome.err, plain.err) << command;
    }
}

TEST_F(RecorderTest, LeavesALibrarysOwnMpiAlone) {
    for (const std::string& preload : preloads)
        for (const char* record : {"0", "1"}) {
            const Outcome outcome =
                run_shell("LD_PRELOAD=" + preload + " COMMMAP_RECORD=" + record + " " + programs +
                          "/serial_mpi");
            EXPECT_EQ(outcome.out, "7\n") << outcome.err;
            EXPECT_THAT(outcome.err, IsEmpty());
        }
}

TEST_F(RecorderTest, IsLinkedAgainstTheCLibraryAloneAndExportsWhatItWraps) {
    for (const std::string& each : {library, mpich_library}) {
        // the last two were parts of the C library that it had in files of their own
        const Outcome needed = run_shell(
            "readelf -d " + each + " | grep NEEDED | grep -v -E 'lib(c|dl|pthread)\\.so|ld-linux'");
        const Outcome exported = run_shell(
            "nm -D --defined-only " + each +
            " | grep -v -E -e ' T (MPIX?|mpix?)_' -e ' T PMIx_Commit' -e ' T PMIx_Fence'");

        EXPECT_THAT(needed.out, IsEmpty()) << each;
        EXPECT_THAT(exported.out, IsEmpty()) << each;
    }
}

TEST_F(RecorderTest, FindsMpiOutsideTheGlobalScope) {
    for (const std::string& preload : preloads) {
        fs::remove_all(profiles_);
        const Outcome outcome =
            record(2, "local_scope sends", "-x LD_BIND_NOW=1 -x LD_PRELOAD=" + preload);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(cells_of(as_one_phase(2), 0).size(), 4u) << preload;
    }
}

TEST_F(RecorderTest, CallsAnotherToolOfTheProfilingInterface) {
    ASSERT_EQ(record(2, "traffic sends").exit_code, 0);
    const auto alone = cells_of(as_one_phase(2), 0);
    const auto tools_line = [](const std::string& out) {
        const auto begin = out.find("tool: ");
        return begin == std::string::npos ? "" : out.substr(begin, out.find('\n', begin) - begin);
    };
    const std::string plain = tools_line(mpirun(2, "traffic_with_tool sends").out);
    ASSERT_NE(plain, "");
    for (const std::string program : {"traffic_with_tool sends", "traffic sends"}) {
        fs::remove_all(profiles_);
        const std::string preloaded =
            program == "traffic sends" ? ":" + programs + "/pmpi_tool.so" : "";
        const Outcome outcome = record(2, program, "-x LD_PRELOAD=" + library + preloaded);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(tools_line(outcome.out), plain) << program;
        EXPECT_EQ(cells_of(as_one_phase(2), 0), alone) << program;
    }
}

TEST_F(RecorderTest, TakesItselfOutOfTheEnvironment) {
    EXPECT_THAT(record(1, "traffic children").out, HasSubstr("and load \n"));
    for (const std::string& list : {library + ":libm.so.6", "libm.so.6:" + library})
        EXPECT_THAT(record(1, "traffic children", "-x LD_PRELOAD=" + list).out,
                    HasSubstr("and load libm.so.6\n"));
}

TEST_F(RecorderTest, LeavesAloneWhatTheProgramLeftPosted) {
    for (const int n : {2, 20}) {  // short records, and long ones
        EXPECT_EQ(record(n, "traffic leftover").exit_code, 0) << n << " ranks";
        EXPECT_EQ(profile(n).num_ranks(), static_cast<std::size_t>(n));
    }
}

TEST_F(RecorderTest, AddsNoHeapCallsToASend) {
    const Outcome plain = mpirun(2, "allocation");
    const Outcome recorded = record(2, "allocation");

    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, "heap calls 0\nheap calls 0\n");
    EXPECT_EQ(recorded.out, plain.out);
}

TEST_F(RecorderTest, ARankThatNeedsMoreMemoryThanThereIsCostsTheProfile) {
    const Outcome outcome = record(2, "traffic many_requests");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("a rank needed more than 64 MiB"));
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, SurvivesAForkedChildThatExits) {
    const Outcome outcome = record(2, "traffic fork");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(RecorderTest, EndsWithMpiWhoeverEndsIt) {
    const Outcome outcome = record(2, "traffic finalize_past_the_wrapper");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(profile(2).num_ranks(), 2u);
}

TEST_F(RecorderTest, KeepsExitCodesAndWritesNothingAfterAnAbort) {
    EXPECT_EQ(record(2, "traffic status").exit_code, mpirun(2, "traffic status").exit_code);
    EXPECT_EQ(files().size(), 1u);
    fs::remove_all(profiles_);

    EXPECT_EQ(record(2, "traffic abort").exit_code, 42);
    EXPECT_EQ(record(1, "traffic exit").exit_code, mpirun(1, "traffic exit").exit_code);
    EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace commmap
