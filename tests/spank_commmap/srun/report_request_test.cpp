// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/report_request.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A program that appends its arguments to a file, one call a line.
class ReportRequestTest : public testing::Test {
protected:
    ReportRequestTest() {
        std::string name = (fs::temp_directory_path() / "commmap-report-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        program_ = directory_ + "/program";
        std::ofstream(program_) << "#!/bin/sh\necho \"$@\" >> " << directory_ << "/calls\n";
        fs::permissions(program_, fs::perms::owner_all);
    }
    ~ReportRequestTest() override { fs::remove_all(directory_); }

    [[nodiscard]] ReportRequest report() const { return {"/w/plan.json", program_, {}}; }
    [[nodiscard]] std::string calls() const {
        std::stringstream text;
        text << std::ifstream(directory_ + "/calls").rdbuf();
        return text.str();
    }

    static std::string complete(ReportRequest& report, const std::string& step,
                                const StepLayout* layout) {
        return report.complete(
            step, layout,
            [](const std::vector<std::string>& argv, const ProgramLimits& limits,
               std::string_view input) { return run_limited(argv, limits, nullptr, input); });
    }

    std::string directory_;
    std::string program_;
    StepLayout layout_{"m[0-1]", {"m0", "m1"}, {1, 0, 0}};
};

TEST_F(ReportRequestTest, NoneWantedNothingRuns) {
    ReportRequest none;
    none.note_declined("why");

    EXPECT_EQ(complete(none, "1.0", &layout_), "");
    EXPECT_EQ(calls(), "");
}

TEST_F(ReportRequestTest, TheLayoutIsAddedToWhatThePlannerWrote) {
    ReportRequest written = report();
    written.note_written();

    EXPECT_EQ(complete(written, "7.1", &layout_), "");
    EXPECT_EQ(complete(written, "7.1", &layout_), "");

    EXPECT_EQ(calls(),
              "launch-report finish /w/plan.json --step 7.1 --nodelist m[0-1] --layout 1,0x2\n");
}

TEST_F(ReportRequestTest, ALongLayoutIsReadFromStandardInput) {
    std::ofstream(program_) << "#!/bin/sh\n(echo \"$@\"; wc -c) >> " << directory_ << "/calls\n";
    ReportRequest written = report();
    written.note_written();
    StepLayout cyclic{"m[0-1]", {"m0", "m1"}, {}};
    for (std::uint32_t rank = 0; rank < 100000; ++rank) cyclic.node_of_rank.push_back(rank % 2);

    EXPECT_EQ(complete(written, "7.1", &cyclic), "");

    EXPECT_EQ(
        calls(),
        "launch-report finish /w/plan.json --step 7.1 --nodelist m[0-1] --layout -\n199999\n");
}

TEST_F(ReportRequestTest, AFileOfAnEarlierLaunchIsNotAddedTo) {
    ReportRequest unwritten = report();

    EXPECT_EQ(complete(unwritten, "7.1", &layout_), "");
    EXPECT_EQ(calls(), "");
}

TEST_F(ReportRequestTest, ADeclineReplacesWhatIsThereUnlessThePlannerWroteIt) {
    ReportRequest unwritten = report();
    unwritten.note_command("./app");
    unwritten.note_declined("the user chose");
    ReportRequest written = report();
    written.note_written();
    written.note_declined("other steps run");

    EXPECT_EQ(complete(unwritten, "7.0", &layout_), "");
    EXPECT_EQ(complete(written, "", nullptr), "");

    EXPECT_EQ(calls(),
              "launch-report decline /w/plan.json --reason the user chose --command ./app\n"
              "launch-report decline /w/plan.json --reason other steps run --amend\n");
}

TEST_F(ReportRequestTest, AFailureIsALine) {
    std::ofstream(program_) << "#!/bin/sh\necho cannot write >&2\nexit 1\n";
    ReportRequest declined = report();
    declined.note_declined("why");

    EXPECT_THAT(complete(declined, "7.0", &layout_),
                HasSubstr("failed with exit code 1: cannot write"));
}

TEST(ReportPath, IsAbsoluteAndHasTheJob) {
    EXPECT_EQ(report_path("plan-%j.json", "/w", "17"), "/w/plan-17.json");
    EXPECT_EQ(report_path("/tmp/%j/%j", "/w", "17"), "/tmp/17/17");
    EXPECT_EQ(report_path("100%%j%", "/w", "17"), "/w/100%j%");
    EXPECT_EQ(report_path("%j-%s", "/w", ""), "/w/%j-%s");
}

}  // namespace
}  // namespace commmap::spank
