// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

/// Classes of lengths from `first` on; the rest is 0, as Open MPI writes it.
std::string lengths(std::size_t first, std::initializer_list<int> counts) {
    std::vector<std::string> classes(66, "0");
    for (const int count : counts) classes[first++] = std::to_string(count);
    std::string text;
    for (const std::string& count : classes) text += (text.empty() ? "" : ",") + count;
    return text + "\n";
}

/// What every rank's file ends with.
std::string communicators(int rank) {
    const std::string me = std::to_string(rank);
    return "D\tMPI COMMUNICATOR 4 DUP FROM 3\tprocs: 1,0\n"
           "O2A\t" +
           me +
           "\t0 bytes\t0 msgs sent\n"
           "A2O\t" +
           me +
           "\t0 bytes\t0 msgs sent\n"
           "A2A\t" +
           me + "\t60 bytes\t4 msgs sent\n";
}

Result<Imported> import_files(const std::vector<std::pair<std::string, std::string>>& contents) {
    std::vector<ImportFile> files;
    for (const auto& [name, content] : contents) files.push_back({name, content});
    return import_profile(import_format("monitoring"), files, {});
}

TEST(ImportMonitoring, MessagesAreThoseOfThePointToPointLayer) {
    // 3 messages of 8 bytes of the program's, one of 100 and one of 0 of a collective's; what
    // collectives would send directly (C) is those again
    const auto imported = import_files(
        {{"x.0.prof",
          "# POINT TO POINT\nE\t0\t1\t24 bytes\t3 msgs sent\t" + lengths(4, {3}) +
              "I\t0\t2\t100 bytes\t2 msgs sent\t" + lengths(0, {1, 0, 0, 0, 0, 0, 0, 1}) +
              "# OSC\n# COLLECTIVES\nC\t0\t1\t100 bytes\t2 msgs sent\n" + communicators(0)},
         {"x.1.prof", communicators(1)},
         {"x.2.prof", communicators(2)}});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 3:24 0>2 1:0 0>2 1:100");
    EXPECT_TRUE(imported.value().notes.empty());
}

TEST(ImportMonitoring, OneHistogramForBothKindsOfMessages) {
    // 2 of 1024 bytes and 1 of 16, in one histogram on the line E
    const auto imported = import_text(
        "monitoring", {"E\t0\t1\t1040 bytes\t2 msgs sent\t" + lengths(5, {1, 0, 0, 0, 0, 0, 2}) +
                       "I\t0\t1\t1024 bytes\t1 msgs sent\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 1:16 0>1 2:2048");
}

TEST(ImportMonitoring, WithoutAHistogramTheMeanLength) {
    // commmap's own export
    const auto imported = import_text(
        "monitoring", {"# POINT TO POINT\nE\t0\t3\t4000 bytes\t2 msgs sent\nE\t3\t0\t5 bytes\t1 "
                       "msgs sent\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>3 2:4000 3>0 1:5");
    EXPECT_EQ(imported.value().profile.num_ranks(), 4);
    // one that does not go with the sums: of 3 messages, of too many bytes
    for (const std::string& wrong : {lengths(0, {0, 3}), lengths(10, {2})}) {
        const auto mean = import_text("monitoring", {"E\t0\t1\t40 bytes\t2 msgs sent\t" + wrong});
        ASSERT_TRUE(mean) << mean.error().message;
        EXPECT_EQ(messages_of(mean.value()), "0>1 2:40");
    }
}

TEST(ImportMonitoring, OneSidedGoesTheWayOfItsBytes) {
    const auto imported = import_text("monitoring", {"# OSC\nS\t0\t1\t370 bytes\t10 msgs sent\n"
                                                     "R\t0\t1\t540 bytes\t6 msgs sent\n"
                                                     "S\t1\t0\t1 bytes\t1 msgs sent\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 10:370 1>0 1:1 1>0 6:540");
}

TEST(ImportMonitoring, FilesOfSeveralNamesArePhases) {
    const std::string first = "E\t0\t1\t10 bytes\t1 msgs sent\n";
    const std::string second = "E\t1\t0\t20 bytes\t1 msgs sent\n";
    const auto imported = import_files({{"run/phase_0.0.prof", first},
                                        {"run/phase_1.0.prof", second},
                                        {"run/phase_0.1.prof", second}});

    ASSERT_TRUE(imported) << imported.error().message;
    const Profile& profile = imported.value().profile;
    ASSERT_EQ(profile.phases.size(), 2);
    EXPECT_EQ(profile.phases[0].label, "phase_0");
    EXPECT_EQ(profile.phases[1].label, "phase_1");
    EXPECT_EQ(messages_of(imported.value(), 0), "0>1 1:10 1>0 1:20");
    EXPECT_EQ(messages_of(imported.value(), 1), "1>0 1:20");
}

TEST(ImportMonitoring, AMissingFileIsNamed) {
    const auto imported = import_files({{"x.0.prof", communicators(0)}});
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().message,
              "x.0.prof: no file says what rank 1 sent: name those of all ranks (x.*.prof)");
}

TEST(ImportMonitoring, CollectivesThatCannotBeToldApartAreANote) {
    const auto imported = import_text(
        "monitoring", {"E\t0\t1\t10 bytes\t1 msgs sent\nC\t0\t1\t9 bytes\t1 msgs sent\n"});
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 1:10");
    ASSERT_EQ(imported.value().notes.size(), 1U);
    EXPECT_THAT(imported.value().notes[0],
                HasSubstr("If pml_monitoring_enable was 1, run again with 2"));
}

TEST(ImportMonitoring, WhatIsWrongIsNamedWithItsLine) {
    const std::string good = "E\t0\t1\t10 bytes\t1 msgs sent\n";
    EXPECT_THAT(refused("monitoring", {good + good}),
                HasSubstr("a:2: a second line E of ranks 0 and 1"));
    const auto twice = import_files({{"x.0.prof", good}, {"x.1.prof", good}});
    ASSERT_FALSE(twice);
    EXPECT_THAT(twice.error().message, HasSubstr("x.1.prof:1: a second line E"));
    EXPECT_THAT(refused("monitoring", {"X\t0\t1\n"}), HasSubstr("a:1: 'X' is no line of"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t-1\t10 bytes\t1 msgs sent\n"}),
                HasSubstr("a:1: '-1' is no rank"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t-10 bytes\t1 msgs sent\n"}),
                HasSubstr("a:1: '-10' is no number of bytes"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t10 bytes\t1 msgs\n"}),
                HasSubstr("a:1: not 'N bytes M msgs sent'"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t10 bytes\t0 msgs sent\n"}),
                HasSubstr("a:1: 10 bytes but 0 messages"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t10 bytes\t1 msgs sent\t1,x\n"}),
                HasSubstr("a:1: 'x' is no number of messages"));
    std::string many = "E\t0\t1\t10 bytes\t1 msgs sent\t1";
    for (int i = 0; i < 70; ++i) many += ",0";
    EXPECT_THAT(refused("monitoring", {many}), HasSubstr("a:1: more than 66 classes"));
    EXPECT_THAT(refused("monitoring", {"D\tname\n"}), HasSubstr("a:1: a communicator without"));
    EXPECT_THAT(refused("monitoring", {"D\tx\tprocs: 0,4000000000\n"}),
                HasSubstr("a:1: rank 4000000000"));
    EXPECT_THAT(refused("monitoring", {"D\tx\tprocs: 0,4000000\n"}),
                HasSubstr("give --ntasks 4000001"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t18446744073709551615 bytes\t1 msgs sent\n"
                                       "E\t1\t0\t2 bytes\t1 msgs sent\n"}),
                HasSubstr("64 bits"));
    EXPECT_THAT(refused("monitoring", {"E\t0\t1\t18446744073709551615 bytes\t1 msgs sent\n"
                                       "I\t0\t1\t2 bytes\t1 msgs sent\n"}),
                HasSubstr("64 bits"));
    EXPECT_EQ(refused("monitoring", {"# POINT TO POINT\n"}), "a: there are no messages");
}

}  // namespace
}  // namespace commmap
