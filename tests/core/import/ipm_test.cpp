// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

/// As src/report_xml.c of IPM 2 prints it. No IPM wrote these files: Debian has none.
std::string hent(const std::string& call, long bytes, long rank, int region, long count,
                 double seconds = 0.5) {
    char line[400];
    std::snprintf(line, sizeof line,
                  "<hent key=\"%016lX%016lX\" call=\"%s\" bytes=\"%ld\" orank=\"%ld\" "
                  "region=\"%d\" callsite=\"0\" count=\"%ld\" tid=\"0\" >%.4e %.4e %.4e</hent>\n",
                  6UL << 54, static_cast<unsigned long>(bytes) << 32 | (rank & 0x3FFFFFFF),
                  call.c_str(), bytes, rank >= 0x3FFFFFFD ? 0 : rank, region, count, seconds,
                  seconds / static_cast<double>(count), seconds);
    return line;
}

std::string region(const std::string& label, int id, double wall, int times,
                   const std::string& inside = "") {
    char line[300];
    std::snprintf(line, sizeof line,
                  "<region label=\"%s\" nexits=\"%d\" wtime=\"%.5e\" utime=\"1.0e+00\" "
                  "stime=\"0.0e+00\" mtime=\"0.0e+00\" id=\"%d\">\n",
                  label.c_str(), times, wall, id);
    return line + inside + "</region>\n";
}

std::string task(int rank, int size, const std::string& regions, const std::string& hents) {
    const std::string me = std::to_string(rank);
    return "<task ipm_version=\"2.0.6\" cookie=\"nocookie\" mpi_rank=\"" + me + "\" mpi_size=\"" +
           std::to_string(size) +
           "\" stamp_init=\"1.0\" stamp_final=\"9.0\" username=\"u\" allocationname=\"a\" "
           "flags=\"0\" pid=\"7\" >\n"
           "<job nhosts=\"1\" ntasks=\"2\" start=\"1\" final=\"9\" cookie=\"nocookie\" "
           "code=\"unknown\" >4711</job>\n"
           "<host mach_name=\"m\" mach_info=\"x86_64_Linux\" >n" +
           std::to_string(rank / 2) +
           "</host>\n"
           "<perf wtime=\"8.00000e+00\" utime=\"1.0e+00\" stime=\"1.0e+00\" mtime=\"0.0e+00\" "
           "gflop=\"0.0e+00\" gbyte=\"1.0e-01\" omp_num_threads=\"1\"></perf>\n"
           "<modules nmod=\"1\">\n<module name=\"MPI\" time=\"1.0e+00\" ></module>\n</modules>\n"
           "<switch bytes_tx=\"0.00000e+00\" bytes_rx=\"0.00000e+00\" ></switch>\n"
           "<cmdline realpath=\"/home/u/halo\" md5sum=\"0\" >./halo -n 5 & </cmdline>\n"
           "<regions n=\"2\" >\n" +
           regions +
           "</regions>\n"
           "<hash nlog=\"1\" nkey=\"1\" >\n" +
           hents +
           "</hash>\n"
           "<internal rank=\"" +
           me + "\" log_i=\"9.0\" ></internal>\n</task>\n";
}

std::string document(const std::string& tasks) {
    return "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<ipm_job_profile>\n"
           "<calltable nsections=\"1\" >\n<section module=\"MPI\" nentries=\"1\" >\n"
           "<entry name=\"MPI_Send\" />\n</section>\n</calltable>\n" +
           tasks + "</ipm_job_profile>\n";
}

/// All ranks do the same.
std::string all_ranks(int size, const std::string& hents) {
    std::string tasks;
    for (int rank = 0; rank < size; ++rank)
        tasks += task(rank, size, region("ipm_noregion", 0, 8.0, 1), hents);
    return document(tasks);
}

TEST(ImportIpm, MessagesTimesAndPlaces) {
    const auto imported = import_text(
        "ipm",
        {document(
            task(0, 2, region("ipm_noregion", 0, 8.0, 1),
                 hent("MPI_Isend", 1024, 1, 0, 10, 0.25) + hent("MPI_Isend", 16, 1, 0, 3, 0.25) +
                     hent("MPI_Recv", 64, 1, 0, 5, 1.0) + hent("MPI_Init", 0, 0, 0, 1, 3.0)) +
            task(1, 2, region("ipm_noregion", 0, 8.0, 1), hent("MPI_Send", 64, 0, 0, 5, 0.5)))});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 3:48 0>1 10:10240 1>0 5:320");
    const Profile& profile = imported.value().profile;
    EXPECT_EQ(profile.command, "/home/u/halo");
    EXPECT_EQ(profile.job_id, 4711U);
    EXPECT_EQ(profile.nodes, std::vector<std::string>{"n0"});
    EXPECT_DOUBLE_EQ(profile.ranks[0].wall_s, 8.0);
    EXPECT_DOUBLE_EQ(profile.ranks[0].mpi_s, 1.5);  // of MPI_Isend and MPI_Recv
    EXPECT_EQ(profile.call_names, (std::vector<std::string>{"MPI_Isend", "MPI_Recv", "MPI_Send"}));
    EXPECT_EQ(profile.ranks[0].calls, (std::vector<CallTime>{{0, 0.5F, 13}, {1, 1.0F, 5}}));
    ASSERT_EQ(profile.phases.size(), 1U);
    EXPECT_DOUBLE_EQ(profile.phases[0].wall_s, 8.0);
    EXPECT_DOUBLE_EQ(profile.phases[0].mpi_s, 1.0);
}

TEST(ImportIpm, RegionsArePhases) {
    // "solve" takes 5 s, 2 of them in "halo" inside it; ranks number their regions as they meet
    // them
    const auto regions = [](int solve, int halo) {
        return region("solve", solve, 5.0, 3,
                      "<regions n=\"1\" >\n" + region("halo", halo, 2.0, 9) + "</regions>\n") +
               region("ipm_noregion", 0, 3.0, 1);
    };
    const auto imported = import_text(
        "ipm", {document(task(0, 2, regions(1, 2),
                              hent("MPI_Send", 10, 1, 0, 1) + hent("MPI_Send", 20, 1, 1, 1) +
                                  hent("MPI_Send", 30, 1, 2, 1, 1.5)) +
                         task(1, 2, regions(2, 1), hent("MPI_Send", 40, 0, 1, 1)))});

    ASSERT_TRUE(imported) << imported.error().message;
    const auto& phases = imported.value().profile.phases;
    ASSERT_EQ(phases.size(), 3U);
    EXPECT_EQ(phases[0].label, "");
    EXPECT_EQ(messages_of(imported.value(), 0), "0>1 1:10");
    EXPECT_DOUBLE_EQ(phases[0].wall_s, 3.0);
    const std::size_t halo = phases[1].label == "halo" ? 1 : 2;
    EXPECT_EQ(phases[halo].label, "halo");
    EXPECT_EQ(messages_of(imported.value(), halo), "0>1 1:30 1>0 1:40");
    EXPECT_DOUBLE_EQ(phases[halo].wall_s, 2.0);
    EXPECT_DOUBLE_EQ(phases[halo].mpi_s, 1.0);
    EXPECT_EQ(phases[halo].entered, 9U);
    EXPECT_EQ(phases[3 - halo].label, "solve");
    EXPECT_EQ(messages_of(imported.value(), 3 - halo), "0>1 1:20");
    EXPECT_DOUBLE_EQ(phases[3 - halo].wall_s, 3.0);
}

TEST(ImportIpm, Collectives) {
    const auto imported = import_text(
        "ipm",
        {all_ranks(4, hent("MPI_Bcast", 100, 2, 0, 3) +
                          hent("MPI_Iallreduce", 8, 0x3FFFFFFE, 0, 2) +
                          hent("MPI_Barrier", 0, 0, 0, 1) +
                          hent("MPI_Reduce_scatter", 4, 0x3FFFFFFE, 0, 1) +
                          hent("MPI_Gatherv", 7, 3, 0, 1) + hent("MPI_Scatterv", 5, 0, 0, 1))});

    ASSERT_TRUE(imported) << imported.error().message;
    const Profile& profile = imported.value().profile;
    ASSERT_EQ(profile.communicators, (std::vector<std::vector<RankId>>{{0, 1, 2, 3}}));
    const auto record = [](CollectiveOp op, RankId root, std::uint64_t calls, std::uint64_t bytes,
                           bool in_peer_traffic = false) {
        CollectiveRecord made{.op = op,
                              .root = root,
                              .calls = calls,
                              .member_calls = 4 * calls,
                              .member_bytes = 4 * calls * bytes,
                              .in_peer_traffic = in_peer_traffic};
        if (!in_peer_traffic) made.bucket = static_cast<std::uint8_t>(size_bucket(bytes));
        return made;
    };
    EXPECT_THAT(
        profile.phases[0].collectives,
        testing::UnorderedElementsAre(
            record(CollectiveOp::bcast, 2, 3, 100), record(CollectiveOp::allreduce, no_id, 2, 8),
            record(CollectiveOp::barrier, no_id, 1, 0),
            record(CollectiveOp::reduce_scatter, no_id, 1, 16),  // 4 bytes for each
            record(CollectiveOp::gather, 3, 1, 7, true),
            record(CollectiveOp::scatter, 0, 1, 5, true)));
    EXPECT_EQ(messages_of(imported.value()), "0>1 1:5 0>2 1:5 0>3 2:12 1>3 1:7 2>3 1:7");
    EXPECT_EQ(imported.value().notes.size(), 1U);
}

TEST(ImportIpm, ACommunicatorIsOfThoseWhoCall) {
    const auto quiet = [](int rank) {
        return task(rank, 4, region("ipm_noregion", 0, 8.0, 1), "");
    };
    const auto loud = [](int rank) {
        return task(rank, 4, region("ipm_noregion", 0, 8.0, 1), hent("MPI_Bcast", 100, 3, 0, 1));
    };
    const auto imported = import_text("ipm", {document(loud(1) + quiet(0) + quiet(3) + quiet(2))});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported.value().profile.communicators, (std::vector<std::vector<RankId>>{{1, 3}}));
}

TEST(ImportIpm, ToNobody) {
    // MPI_PROC_NULL is written as rank 0: the key tells
    const auto imported = import_text("ipm", {all_ranks(2, hent("MPI_Send", 8, 0x3FFFFFFF, 0, 1))});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "");
}

TEST(ImportIpm, WhatIsWrongIsNamedWithItsLine) {
    const std::string good = all_ranks(2, hent("MPI_Send", 8, 1, 0, 1));
    ASSERT_EQ(refused("ipm", {good}), "");
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return refused("ipm", {text});
    };
    EXPECT_THAT(refused("ipm", {good.substr(0, good.size() / 2)}), HasSubstr("no XML"));
    EXPECT_THAT(refused("ipm", {"<html></html>"}), HasSubstr("no <ipm_job_profile>"));
    EXPECT_THAT(refused("ipm", {document("")}), HasSubstr("no messages"));
    EXPECT_THAT(refused("ipm", {document("<taskcopy mpi_rank=\"1\" cluster_rank=\"0\"/>")}),
                HasSubstr("a:8: ranks that are copies"));
    EXPECT_THAT(with("mpi_rank=\"1\"", "mpi_rank=\"0\""), HasSubstr("rank 0 of 2 is there twice"));
    EXPECT_THAT(with("mpi_rank=\"1\"", "mpi_rank=\"-1\""),
                HasSubstr("<task> needs a whole number mpi_rank, not '-1'"));
    EXPECT_THAT(with("mpi_size=\"2\"", "mpi_size=\"4000000000\""),
                HasSubstr("2 tasks of 4000000000: the file is not whole"));
    EXPECT_THAT(with("orank=\"1\"", "orank=\"2\""), HasSubstr("orank '2' is none of the 2 ranks"));
    EXPECT_THAT(with("orank=\"1\"", "orank=\"-1\""), HasSubstr("built with clustering"));
    EXPECT_THAT(with("bytes=\"8\"", "bytes=\"-8\""),
                HasSubstr("a:22: <hent> needs a whole number"));
    EXPECT_THAT(with("count=\"1\"", "count=\"18446744073709551616\""), HasSubstr("count"));
    EXPECT_THAT(with("count=\"1\"", "count=\"18446744073709551615\""), HasSubstr("64 bits"));
    EXPECT_THAT(with("5.0000e-01 5", "nan 5"), HasSubstr("no time in seconds"));
    EXPECT_THAT(with("wtime=\"8.00000e+00\" u", "wtime=\"inf\" u"), HasSubstr("'inf' is no time"));
    EXPECT_THAT(with("<hash nlog", "<hush nlog"), HasSubstr("no XML"));
    std::string terse = task(0, 1, region("ipm_noregion", 0, 8.0, 1), "");
    terse.erase(terse.find("<hash"), terse.find("</hash>\n") + 8 - terse.find("<hash"));
    EXPECT_THAT(refused("ipm", {document(terse)}), HasSubstr("IPM_LOG=full"));
    EXPECT_THAT(refused("ipm", {good}, {.num_ranks = 3}), HasSubstr("2 tasks instead of 3"));
}

TEST(ImportIpm, RegionsWithoutEnd) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "<regions><region label=\"x\" id=\"1\" wtime=\"1\">";
    for (int i = 0; i < 100000; ++i) deep += "</region></regions>";
    EXPECT_THAT(refused("ipm", {document(task(0, 1, deep.substr(9, deep.size() - 19), ""))}),
                HasSubstr("deeper than 64"));
    std::string many;
    for (int i = 1; i < 1000; ++i) many += region("r" + std::to_string(i), i, 0.0, 1);
    const auto imported = import_text("ipm", {document(task(0, 1, many, ""))});
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported.value().profile.phases.size(), max_profile_phases);
    EXPECT_EQ(imported.value().profile.phases.back().label, "(others)");
}

}  // namespace
}  // namespace commmap
