// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/limited_program.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "spank_commmap/process/trusted_program.hpp"
#include "support/comes_true.hpp"

namespace commmap::spank {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using End = ProgramResult::End;

/// Gives a program that ends by itself time enough for that, also on a busy machine.
ProgramLimits patient(ProgramLimits limits = {}) {
    limits.seconds = 60;
    return limits;
}

ProgramResult run(const std::string& way, const ProgramLimits& limits = patient()) {
    const ProgramResult result = run_limited({COMMMAP_FAKE_PROGRAM, "plan", way}, limits);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
    EXPECT_EQ(result.reason.find('\n'), std::string::npos);
    return result;
}

TEST(LimitedProgram, GivesTheAnswer) {
    const ProgramResult result = run("answers");

    EXPECT_EQ(result.end, End::answered);
    EXPECT_EQ(result.output, "commmap-plan 2\ndecision keep\nend\n");
}

TEST(LimitedProgram, NoAnswerIsTheParsersBusiness) {
    EXPECT_EQ(run("nothing").end, End::answered);
    EXPECT_EQ(run("nothing").output, "");
}

TEST(LimitedProgram, SaysHowItFailed) {
    EXPECT_EQ(run("fails").reason, "failed with exit code 3: first reason");
    EXPECT_EQ(run("writes_to_terminals").reason, "failed with exit code 3: red  [31mline");
    EXPECT_THAT(run("crashes").reason, HasSubstr("was killed by signal 11"));
    EXPECT_EQ(run_limited({"/nowhere/commmap", "plan"}, patient()).reason,
              "cannot be run: No such file or directory");
    EXPECT_EQ(run_limited({"/etc/passwd", "plan"}, patient()).reason,
              "cannot be run: Permission denied");
    EXPECT_EQ(run_limited({"commmap", "plan"}, patient()).reason, "has no absolute path");
    EXPECT_EQ(run_limited({}, patient()).end, End::failed);
}

TEST(LimitedProgram, EndsInTimeWhateverThePlannerDoes) {
    for (const char* way : {"hangs", "ignores", "silent", "spins"}) {
        const ProgramResult result = run(way, {.seconds = 1});

        EXPECT_EQ(result.end, End::failed) << way;
        EXPECT_EQ(result.reason, "took longer than 1 s") << way;
    }
}

TEST(LimitedProgram, BoundsWhatItKeeps) {
    EXPECT_EQ(run("floods", patient({.output_bytes = 100000})).reason,
              "printed more than 100000 bytes");
    EXPECT_EQ(run("errors").output, "done\n");
}

TEST(LimitedProgram, EndsWhatThePlannerStarted) {
    // the orphan holds the output open: waiting for its end would be waiting for the time limit
    const ProgramResult result = run("orphan");

    ASSERT_EQ(result.end, End::answered) << result.reason;
    const pid_t orphan = std::atoi(result.output.c_str());
    ASSERT_GT(orphan, 1);
    // init may need a moment to take the status of a dead orphan
    const auto has_ended = [orphan] {
        std::ifstream status("/proc/" + std::to_string(orphan) + "/stat");
        std::string word;
        std::string state;
        return !(status >> word >> word >> state) || state == "Z";
    };
    EXPECT_TRUE(comes_true(has_ended, std::chrono::milliseconds(20)));
}

TEST(LimitedProgram, LimitsMemory) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the limit also holds for the sanitizer";
#endif
    const ProgramResult result = run("memory", patient({.memory_mib = 256}));

    EXPECT_EQ(result.end, End::failed);
    EXPECT_THAT(result.reason, HasSubstr("exit code 1"));
    EXPECT_EQ(run("limits", patient({.memory_mib = 512})).output,
              std::to_string(512 * 1024) + "\n0\n");
}

TEST(LimitedProgram, StandardInputIsEmptyAndOtherDescriptorsAreClosed) {
    const int kept = ::open("/dev/null", O_RDONLY);  // not CLOEXEC
    ASSERT_GE(kept, 3);

    EXPECT_EQ(run("input").output, "input over\n");
    EXPECT_EQ(run("descriptors").output, "0 1 2 3 ");  // 3: ls reading the directory

    ::close(kept);
}

TEST(LimitedProgram, HandsOnALongWord) {
    const LongWord small = long_word("0x2,1x2");
    EXPECT_EQ(small.word, "0x2,1x2");
    EXPECT_EQ(small.input, "");
    const LongWord large = long_word(std::string(300000, 'x'));  // execve refuses such a word
    EXPECT_EQ(large.word, "-");

    const ProgramResult result =
        run_limited({COMMMAP_FAKE_PROGRAM, "plan", "input"}, patient(), nullptr, large.input);

    EXPECT_EQ(result.output, std::string(300000, 'x') + "input over\n") << result.reason;
}

TEST(LimitedProgram, IsTheEffectiveUserForGood) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    constexpr unsigned nobody = 65534;
    ASSERT_EQ(::setegid(nobody), 0);
    ASSERT_EQ(::seteuid(nobody), 0);
    const ProgramResult result = run("rights");
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_EQ(::setegid(0), 0);

    EXPECT_EQ(result.output,
              "Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t65534\t65534\t65534\n");
}

/// What slurmstepd, which is root, runs as the user of the step.
class ProgramOfUser : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    }
    static std::string run_as(const char* way, const std::vector<int>& descriptors = {}) {
        const ProgramUser user{nobody, group, {group, another_group}, descriptors};
        ProgramLimits limits = patient();
        limits.whole_environment = false;
        const ProgramResult result =
            run_limited({COMMMAP_FAKE_PROGRAM, "plan", way}, limits, nullptr, {}, &user);
        EXPECT_EQ(result.end, End::answered) << result.reason;
        return result.output;
    }
    static constexpr unsigned nobody = 65534;
    static constexpr unsigned group = 65533;
    static constexpr unsigned another_group = 12345;
};

TEST_F(ProgramOfUser, HasTheUsersRightsAndNoOthers) {
    EXPECT_EQ(run_as("identity"),
              "Uid:\t65534\t65534\t65534\t65534\nGid:\t65533\t65533\t65533\t65533\n"
              "Groups:\t12345 65533 \nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n");
}

TEST_F(ProgramOfUser, IsNotSparedWhereMemoryIsShort) {
    const auto set = [](const char* badness) {
        std::ofstream file("/proc/self/oom_score_adj");
        return static_cast<bool>(file << badness << std::flush);
    };
    ASSERT_TRUE(set("500"));  // less takes a right that containers do not have
    EXPECT_EQ(run_as("badness"), "0\n");
    EXPECT_EQ(run("badness").output, "500\n");
    ASSERT_TRUE(set("0"));
}

TEST_F(ProgramOfUser, StartsNoProcess) {
    const ProgramUser user{nobody, group, {}, {}};
    const ProgramResult result =
        run_limited({COMMMAP_FAKE_PROGRAM, "plan", "starts"}, patient(), nullptr, {}, &user);
    EXPECT_EQ(result.end, End::failed);
    EXPECT_EQ(run("starts").end, End::answered);
}

TEST_F(ProgramOfUser, GetsNothingOfRootsEnvironment) {
    ::setenv("HTTPS_PROXY", "https://name:password@proxy", 1);
    ::setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
    ::setenv("TZ", "UTC", 1);
    const std::string seen = run_as("environment");
    EXPECT_THAT(seen, Not(HasSubstr("password")));
    EXPECT_THAT(seen, HasSubstr("HWLOC_SYNTHETIC=core:2 pu:1\n"));
    EXPECT_THAT(seen, HasSubstr("TZ=UTC\n"));
    EXPECT_THAT(run("environment").output, HasSubstr("password"));
    for (const char* name : {"HTTPS_PROXY", "HWLOC_SYNTHETIC", "TZ"}) ::unsetenv(name);
}

TEST_F(ProgramOfUser, GetsTheDescriptorsThatItIsGivenAndNoOthers) {
    const int null = ::open("/dev/null", O_RDONLY);
    const int other = ::fcntl(null, F_DUPFD, 200);
    const int given = ::fcntl(null, F_DUPFD_CLOEXEC, 300);
    ::close(null);
    ASSERT_EQ(given, 300);
    EXPECT_EQ(run_as("listed", {given}), "0\n1\n2\n3\n300\n");  // 3: ls reading the directory
    ::close(other);
    ::close(given);
}

TEST(LimitedProgram, RootRunsOnlyWhatIsRootsAlone) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    std::string place = "/var/tmp/commmap-limited-XXXXXX";
    ASSERT_NE(::mkdtemp(place.data()), nullptr);
    const std::string program = place + "/program";
    std::ofstream(program) << "#!/bin/sh\necho done\n";
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    EXPECT_EQ(run_limited({program}, patient()).output, "done\n");
    EXPECT_EQ(run_limited({"/bin/echo", "done"}, patient()).output, "done\n");

    ASSERT_EQ(::chmod(place.c_str(), 0777), 0);

    EXPECT_THAT(run_limited({program}, patient()).reason,
                HasSubstr("cannot be run: others than root can change '" + place + "'"));
    ::unlink(program.c_str());
    ::rmdir(place.c_str());
}

/// Another file may have the program's path by then.
TEST(LimitedProgram, RootRunsTheFileThatWasChecked) {
    if (!is_root_of_system()) GTEST_SKIP() << "needs root";
    // AT_EXECFN is 31: by which path the kernel was asked for the program
    const ProgramResult result = run_limited(
        {"/usr/bin/python3", "-c",
         "import ctypes; said = ctypes.CDLL(None).getauxval; said.restype = ctypes.c_char_p; "
         "said.argtypes = [ctypes.c_ulong]; print(said(31).decode())"},
        patient());

    EXPECT_EQ(result.end, End::answered) << result.reason;
    EXPECT_THAT(result.output, StartsWith("/dev/fd/"));
}

/// vm.memfd_noexec=2, in a namespace of its own. Kernels 6.3 to 6.5 refuse what is not asked for
/// without the right to execute; later ones take that right away themselves.
TEST(LimitedProgram, HandsOnInputWhereMemoryMayNotBeExecuted) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    constexpr int exit_untried = 77;
    const pid_t outer = ::fork();
    if (outer == 0) {
        if (::unshare(CLONE_NEWPID) != 0) ::_exit(exit_untried);
        const pid_t inner = ::fork();
        if (inner == 0) {
            std::ofstream setting("/proc/sys/vm/memfd_noexec");
            if (!(setting << "2" << std::flush)) ::_exit(exit_untried);
            const ProgramResult result =
                run_limited({COMMMAP_FAKE_PROGRAM, "plan", "input"}, patient(), nullptr, "word ");
            ::_exit(result.output == "word input over\n" ? 0 : 1);
        }
        int status = 0;
        ::waitpid(inner, &status, 0);
        ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
    }
    int status = 0;
    ::waitpid(outer, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == exit_untried) GTEST_SKIP() << "the kernel has no vm.memfd_noexec";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

bool has_end(std::string_view printed) { return printed.ends_with("end\n"); }

TEST(LimitedProgram, AWholeAnswerCountsAlthoughTheProcessGoesOn) {
    // It is always waited for so long: enough to begin on a busy machine.
    const ProgramResult result = run("lingers", {.seconds = 5, .is_complete = has_end});
    ASSERT_EQ(result.end, End::answered) << result.reason;
    EXPECT_EQ(result.output, "commmap-plan 2\ndecision keep\nend\n");
}

TEST(LimitedProgram, AWholeAnswerCountsHoweverTheProcessEnds) {
    const ProgramLimits limits = patient({.is_complete = has_end});
    const ProgramResult result = run("dies", limits);
    ASSERT_EQ(result.end, End::answered) << result.reason;
    EXPECT_EQ(result.output, "commmap-plan 2\ndecision keep\nend\n");
    EXPECT_EQ(run("halves", limits).end, End::failed);
    EXPECT_EQ(run("dies").end, End::failed) << "nobody asked for a part of what it prints";
}

TEST(LimitedProgram, CleansTheEnvironment) {
    ::setenv("LD_LIBRARY_PATH", "/somewhere", 1);
    ::setenv("LD_DEBUG_OUTPUT", "/nowhere", 1);
    ::setenv("COMMMAP", "auto", 1);
    ::setenv("KEPT", "yes", 1);

    const std::string seen = run("environment").output;

    EXPECT_THAT(seen, HasSubstr("KEPT=yes"));
    EXPECT_THAT(seen, Not(HasSubstr("LD_")));
    EXPECT_THAT(seen, Not(HasSubstr("COMMMAP=")));
    for (const char* name : {"LD_LIBRARY_PATH", "LD_DEBUG_OUTPUT", "COMMMAP", "KEPT"})
        ::unsetenv(name);
}

/// As in srun: the signals that end it are blocked.
class BlockedSignals {
public:
    BlockedSignals() {
        ::sigemptyset(&set_);
        for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) ::sigaddset(&set_, number);
        ::sigprocmask(SIG_BLOCK, &set_, &old_);
    }
    ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &old_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    int take() const {
        const timespec now{};
        return ::sigtimedwait(&set_, nullptr, &now);
    }

private:
    sigset_t set_{};
    sigset_t old_{};
};

TEST(LimitedProgram, GivesThePlannerFreshSignals) {
    const BlockedSignals blocked;
    ::signal(SIGUSR1, SIG_IGN);

    EXPECT_THAT(run("signals").output, ContainsRegex("SigBlk:\t0+\nSigIgn:\t0+\n"));

    ::signal(SIGUSR1, SIG_DFL);
}

TEST(LimitedProgram, ASignalForSrunEndsTheWaitAndStaysPending) {
    const BlockedSignals blocked;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const pid_t sender = ::fork();
        if (sender == 0) {
            ::usleep(200000);
            ::kill(::getppid(), number);
            ::_exit(0);
        }
        const ProgramResult result =
            run_limited({COMMMAP_FAKE_PROGRAM, "plan", "ignores"}, patient());
        ::waitpid(sender, nullptr, 0);

        EXPECT_EQ(result.end, End::interrupted);
        EXPECT_EQ(blocked.take(), number);
    }
}

TEST(LimitedProgram, WorksWhereChildrenAreNotWaitedFor) {
    ::signal(SIGCHLD, SIG_IGN);

    EXPECT_EQ(run("answers").output, "commmap-plan 2\ndecision keep\nend\n");
    EXPECT_EQ(run("hangs", {.seconds = 1}).reason, "took longer than 1 s");

    ::signal(SIGCHLD, SIG_DFL);
}

TEST(LimitedProgram, WorksWithClosedStandardStreams) {
    const pid_t child = ::fork();
    if (child == 0) {
        for (const int fd : {0, 1, 2}) ::close(fd);
        const ProgramResult result =
            run_limited({COMMMAP_FAKE_PROGRAM, "plan", "answers"}, patient());
        ::_exit(result.end == End::answered &&
                        result.output == "commmap-plan 2\ndecision keep\nend\n"
                    ? 0
                    : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace commmap::spank
