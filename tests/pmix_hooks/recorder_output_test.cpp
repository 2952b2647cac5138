// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Profiles as files: their names and readers, and what the recorder says when one is not saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/profile/format/profile_file.hpp"
#include "core/program/application_id.hpp"
#include "core/program/identity.hpp"
#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(RecorderTest, FindsTheIdentityOfTheProgramItself) {
    const Outcome outcome =
        mpirun(1, "traffic sends",
               "-x LD_PRELOAD=" + library +
                   " -x COMMMAP_RECORD=1 -x COMMMAP_PROFILE_DIR=" + profiles_.string());

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Result<Executable> program = inspect_executable(programs + "/traffic");
    ASSERT_TRUE(program) << program.error().message;
    const auto loaded = load(program.value().application_id, 1);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded.value().profile.command, program.value().path);
}

TEST_F(RecorderTest, SeveralExecutablesAreASet) {
    const std::string each = "-x LD_PRELOAD=" + library + " -x COMMMAP_RECORD=1 " +
                             "-x COMMMAP_PROFILE_DIR=" + profiles_.string();
    const Outcome outcome =
        mpirun(2, "traffic sends : -np 2 " + each + " " + programs + "/traffic_f08 sends", each);

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_EQ(files().size(), 1u);
    const auto recorded = read_profile_file((profiles_ / files()[0]).string());
    ASSERT_TRUE(recorded) << recorded.error().message;
    const Profile& set = recorded.value();
    EXPECT_THAT(files()[0], testing::StartsWith("set-"));
    EXPECT_EQ(set.command, "traffic : traffic_f08");
    ASSERT_EQ(set.programs.size(), 2u);
    EXPECT_EQ(set.programs[0].application_id,
              inspect_executable(programs + "/traffic").value().application_id);
    std::vector<std::uint32_t> program_of_rank;
    for (const ProfileRank& rank : set.ranks) program_of_rank.push_back(rank.program);
    EXPECT_EQ(program_of_rank, (std::vector<std::uint32_t>{0, 0, 1, 1}));
    ASSERT_EQ(record(4, "traffic sends").exit_code, 0);
    EXPECT_TRUE(whole_run(set).sent == whole_run(profile(4)).sent);
}

/// Of mpirun by hand; srun's tasks get the identity with the tag in it.
TEST_F(RecorderTest, ATagKeepsAUsersProfilesApartAndTheGroupMayReadThem) {
    const Outcome outcome =
        mpirun(1, "traffic sends",
               "-x LD_PRELOAD=" + library + " -x COMMMAP_RECORD=1 -x COMMMAP_TAG=large " +
                   "-x COMMMAP_PROFILE_READERS=group -x COMMMAP_PROFILE_DIR=" + profiles_.string());

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto program = inspect_executable(programs + "/traffic");
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_TRUE(load(with_tag(program.value().application_id, "large"), 1));
    EXPECT_FALSE(load(program.value().application_id, 1));
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(fs::status(profiles_ / files()[0]).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(RecorderTest, TwoRunsAtOnceAreBothKept) {
    const std::string again = "-x COMMMAP_PROFILE_DIR=" + profiles_.string();
    const std::string run = "--mca btl self,vader -np 2 -x LD_PRELOAD=" + library +
                            " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app " + again + " " +
                            programs + "/traffic sends & ";

    const Outcome outcome =
        run_shell("( " + mpirun_words() + run + mpirun_words() + run + "wait )");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(files().size(), 2u);
    const auto loaded = load("test:app", 2);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded.value().profile.runs, 2u);
    EXPECT_THAT(loaded.value().notes, IsEmpty());
}

/// As runs in one batch script are, which have one number.
TEST_F(RecorderTest, SavesEachRunOfAStep) {
    for (int run = 1; run <= 2; ++run) {
        const std::string program = "traffic everybody " + std::to_string(run);
        EXPECT_EQ(record(2, program, "-x SLURM_JOB_ID=7").exit_code, 0);
        EXPECT_EQ(files().size(), static_cast<std::size_t>(run));
    }
}

TEST_F(RecorderTest, SaysOneLineWhenTheProfileCannotBeWritten) {
    const Outcome plain = mpirun(2, "traffic sends");
    std::ofstream(directory_ / "file") << "in the way";

    const Outcome outcome =
        record(2, "traffic sends", "-x COMMMAP_PROFILE_DIR=" + (directory_ / "file/x").string());

    EXPECT_EQ(outcome.exit_code, 0);
    const auto sorted = [](const std::string& text) {
        std::istringstream lines(text);
        std::vector<std::string> all;
        for (std::string line; std::getline(lines, line);) all.push_back(line);
        std::sort(all.begin(), all.end());
        return all;
    };
    EXPECT_EQ(sorted(outcome.out), sorted(plain.out));
    EXPECT_THAT(outcome.err, testing::StartsWith("commmap: "));
    EXPECT_THAT(outcome.err, HasSubstr((directory_ / "file").string()));
    EXPECT_THAT(outcome.err, HasSubstr("COMMMAP_PROFILE_DIR"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

/// The records of all go through a socket, and through no file that has a length.
TEST_F(RecorderTest, SavesTheProfileOfAProgramThatMayWriteNoLongFiles) {
    const Outcome outcome = run_shell(
        mpirun_words() + "--mca btl self,vader -np 2 -x LD_PRELOAD=" + library +
        " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app -x COMMMAP_PROFILE_DIR=" +
        profiles_.string() + " bash -c 'ulimit -f 32768; exec " + programs + "/traffic sends'");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(profile(2).num_ranks(), 2u) << outcome.err;
}

/// Of the standard descriptors one may be missing.
TEST_F(RecorderTest, SaysNothingIntoItsOwnSocket) {
    for (const std::string closed : {"2>&-", "1>&-", "0<&- 1>&- 2>&-"}) {
        fs::remove_all(profiles_);
        const Outcome outcome = run_shell(
            mpirun_words() + "--mca btl self,vader -np 2 -x LD_PRELOAD=" + library +
            " -x COMMMAP_RECORD=1 -x COMMMAP_VERBOSE=1 -x COMMMAP_APP_ID=test:app "
            "-x COMMMAP_PROFILE_DIR=" +
            profiles_.string() + " bash -c 'exec " + programs + "/traffic sends " + closed + "'");

        EXPECT_EQ(outcome.exit_code, 0) << closed << outcome.err;
        EXPECT_EQ(profile(2).num_ranks(), 2u) << closed << outcome.err;
    }
}

/// The recorder with another program beside it than the one that saves profiles.
class OwnCollector : public RecorderTest {
protected:
    OwnCollector() { fs::copy(library, copy_); }
    Outcome record_with(const std::string& script) {
        if (!script.empty()) {
            std::ofstream(collector_) << "#!/bin/sh\n" << script << "\n";
            fs::permissions(collector_, fs::perms::owner_all);
        }
        return mpirun(2, "traffic sends",
                      "-x LD_PRELOAD=" + copy_.string() +
                          " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app "
                          "-x COMMMAP_PROFILE_DIR=" +
                          profiles_.string());
    }
    fs::path collector_ = directory_ / "commmap-collect";
    fs::path copy_ = directory_ / "hooks.so";
};

TEST_F(OwnCollector, IsWaitedForNoLongerThanFiveSeconds) {
    const fs::path number = directory_ / "number";

    const Outcome outcome = record_with("echo $$ >" + number.string() + "; exec sleep 1000");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("commmap: no profile of this run yet: the directory for "
                                       "profiles has not answered within 5 s\n"));
    // which goes on, and holds up nobody who reads the program's output
    EXPECT_EQ(::kill(static_cast<pid_t>(std::stol(text_of(number))), SIGKILL), 0);
}

TEST_F(OwnCollector, SaysWhatWentWrong) {
    const Outcome outcome = record_with("echo 'no room' >&2; exit 1");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "commmap: no profile of this run: no room\n");
}

TEST_F(OwnCollector, IsNotThere) {
    const Outcome outcome = record_with("");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("commmap: no profile of this run: '" + collector_.string() +
                                       "' cannot be run (error 2)\n"));
}

TEST_F(OwnCollector, IsNotRecordedItself) {
    const Outcome outcome = record_with("echo \"recorded with $LD_PRELOAD$COMMMAP_RECORD.\" >" +
                                        (directory_ / "seen").string() + "; echo recorded");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(text_of(directory_ / "seen"), "recorded with .\n");
}

}  // namespace
}  // namespace commmap
