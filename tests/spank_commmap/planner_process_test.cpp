#include "spank_commmap/planner_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace commmap::spank {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using End = PlannerResult::End;

PlannerResult run(const std::string& way, const PlannerLimits& limits = {}) {
    const PlannerResult result = run_planner({COMMMAP_FAKE_PLANNER, "plan", way}, limits);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
    EXPECT_EQ(result.reason.find('\n'), std::string::npos);
    return result;
}

TEST(PlannerProcess, GivesTheAnswer) {
    const PlannerResult result = run("answers");

    EXPECT_EQ(result.end, End::answered);
    EXPECT_EQ(result.output, "commmap-plan 1\ndecision keep\nend\n");
}

TEST(PlannerProcess, NoAnswerIsTheParsersBusiness) {
    EXPECT_EQ(run("nothing").end, End::answered);
    EXPECT_EQ(run("nothing").output, "");
}

TEST(PlannerProcess, SaysHowItFailed) {
    EXPECT_EQ(run("fails").reason, "failed with exit code 3: first reason");
    EXPECT_THAT(run("crashes").reason, HasSubstr("was killed by signal 11"));
    EXPECT_EQ(run_planner({"/nowhere/commmap", "plan"}, {}).reason,
              "cannot be run: No such file or directory");
    EXPECT_EQ(run_planner({"/etc/passwd", "plan"}, {}).reason, "cannot be run: Permission denied");
    EXPECT_EQ(run_planner({"commmap", "plan"}, {}).reason, "has no absolute path");
    EXPECT_EQ(run_planner({}, {}).end, End::failed);
}

TEST(PlannerProcess, EndsInTimeWhateverThePlannerDoes) {
    for (const char* way : {"hangs", "ignores", "silent", "spins"}) {
        const PlannerResult result = run(way, {.seconds = 1});

        EXPECT_EQ(result.end, End::failed) << way;
        EXPECT_EQ(result.reason, "took longer than 1 s") << way;
    }
}

TEST(PlannerProcess, BoundsWhatItKeeps) {
    EXPECT_EQ(run("floods", {.output_bytes = 100000}).reason, "printed more than 100000 bytes");
    EXPECT_EQ(run("errors").output, "done\n");
}

TEST(PlannerProcess, EndsWhatThePlannerStarted) {
    // the orphan holds the output open: waiting for its end would be waiting for the time limit
    const PlannerResult result = run("orphan");

    ASSERT_EQ(result.end, End::answered) << result.reason;
    const pid_t orphan = std::atoi(result.output.c_str());
    ASSERT_GT(orphan, 1);
    // init may need a moment to take the status of a dead orphan
    std::string state;
    for (int tries = 0; tries < 50; ++tries, ::usleep(20000)) {
        std::ifstream status("/proc/" + std::to_string(orphan) + "/stat");
        std::string word;
        if (!(status >> word >> word >> state) || state == "Z") break;
    }
    EXPECT_THAT(state, Not(testing::AnyOf("S", "R")));
}

TEST(PlannerProcess, LimitsMemory) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the limit also holds for the sanitizer";
#endif
    const PlannerResult result = run("memory", {.memory_mib = 256});

    EXPECT_EQ(result.end, End::failed);
    EXPECT_THAT(result.reason, HasSubstr("exit code 1"));
    EXPECT_EQ(run("limits", {.memory_mib = 512}).output, std::to_string(512 * 1024) + "\n0\n");
}

TEST(PlannerProcess, StandardInputIsEmptyAndOtherDescriptorsAreClosed) {
    const int kept = ::open("/dev/null", O_RDONLY);  // not CLOEXEC
    ASSERT_GE(kept, 3);

    EXPECT_EQ(run("input").output, "input over\n");
    EXPECT_EQ(run("descriptors").output, "0 1 2 3 ");  // 3: ls reading the directory

    ::close(kept);
}

TEST(PlannerProcess, CleansTheEnvironment) {
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

TEST(PlannerProcess, GivesThePlannerFreshSignals) {
    const BlockedSignals blocked;
    ::signal(SIGUSR1, SIG_IGN);

    EXPECT_THAT(run("signals").output, ContainsRegex("SigBlk:\t0+\nSigIgn:\t0+\n"));

    ::signal(SIGUSR1, SIG_DFL);
}

TEST(PlannerProcess, ASignalForSrunEndsTheWaitAndStaysPending) {
    const BlockedSignals blocked;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const pid_t sender = ::fork();
        if (sender == 0) {
            ::usleep(200000);
            ::kill(::getppid(), number);
            ::_exit(0);
        }
        const PlannerResult result = run_planner({COMMMAP_FAKE_PLANNER, "plan", "ignores"}, {});
        ::waitpid(sender, nullptr, 0);

        EXPECT_EQ(result.end, End::interrupted);
        EXPECT_EQ(blocked.take(), number);
    }
}

TEST(PlannerProcess, WorksWhereChildrenAreNotWaitedFor) {
    ::signal(SIGCHLD, SIG_IGN);

    EXPECT_EQ(run("answers").output, "commmap-plan 1\ndecision keep\nend\n");
    EXPECT_EQ(run("hangs", {.seconds = 1}).reason, "took longer than 1 s");

    ::signal(SIGCHLD, SIG_DFL);
}

TEST(PlannerProcess, WorksWithClosedStandardStreams) {
    const pid_t child = ::fork();
    if (child == 0) {
        for (const int fd : {0, 1, 2}) ::close(fd);
        const PlannerResult result = run_planner({COMMMAP_FAKE_PLANNER, "plan", "answers"}, {});
        ::_exit(result.end == End::answered &&
                        result.output == "commmap-plan 1\ndecision keep\nend\n"
                    ? 0
                    : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace commmap::spank
