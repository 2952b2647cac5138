// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/history_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "core/base/file.hpp"
#include "core/history/records.hpp"
#include "core/profile/store/store.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

class HistoryStoreTest : public ::testing::Test {
protected:
    HistoryStoreTest() {
        std::string pattern = fs::temp_directory_path() / "commmap-history-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~HistoryStoreTest() override { fs::remove_all(directory_); }

    [[nodiscard]] std::string profiles() const { return directory_ / "profiles"; }
    [[nodiscard]] HistoryStore store() const { return HistoryStore(profiles()); }
    [[nodiscard]] RunInbox inbox() const { return RunInbox(profiles()); }
    [[nodiscard]] fs::path waiting() const {
        return fs::path(profiles()) / own_name("history") / "new";
    }
    [[nodiscard]] std::size_t num_waiting() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(waiting()), {}));
    }
    [[nodiscard]] std::string file() const { return store().path_of("build-id:0a1b", 16); }
    [[nodiscard]] Result<ProgramHistory> load() const { return store().load("build-id:0a1b", 16); }

    static void write(const fs::path& path, const std::string& text) {
        std::ofstream(path, std::ios::trunc) << text;
    }
    static void put(const RunInbox& inbox, LaunchedAs way, double wall_s, std::uint32_t step) {
        const Status done = inbox.put(some_record(way, wall_s, step));
        ASSERT_TRUE(done) << done.error().message;
    }

    fs::path directory_;
};

TEST_F(HistoryStoreTest, RecordsBecomeAHistory) {
    EXPECT_EQ(store().merge().num_records, 0U);
    EXPECT_EQ(load().error().code, Errc::not_found);
    for (std::uint32_t step = 0; step < 10; ++step)
        put(inbox(), step % 2 == 0 ? LaunchedAs::placed : LaunchedAs::kept, 1.0 + step, step);
    EXPECT_EQ(num_waiting(), 10U);

    const auto merged = store().merge();

    EXPECT_EQ(merged.num_records, 10U);
    EXPECT_TRUE(merged.notes.empty());
    EXPECT_EQ(num_waiting(), 0U);
    const auto history = load();
    ASSERT_TRUE(history) << history.error().message;
    const RunGroup& group = history.value().groups().front();
    EXPECT_EQ(group.by_default.wall_s(), (std::vector<double>{2, 4, 6, 8, 10}));
    EXPECT_EQ(group.placed.front().wall_s(), (std::vector<double>{1, 3, 5, 7, 9}));
    EXPECT_EQ(fs::path(file()).filename(), "build-id-0a1b-np16.history");
    for (const fs::path& path : {fs::path(store().directory()), waiting()})
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(store().list().size(), 1U);
    EXPECT_EQ(store().merge().num_records, 0U);
}

TEST_F(HistoryStoreTest, ARecordIsOneSmallFileAndCostsLittle) {
    put(inbox(), LaunchedAs::placed, 1.0, 0);
    std::vector<double> took;
    for (std::uint32_t step = 1; step < 100; ++step) {
        const auto begin = std::chrono::steady_clock::now();
        put(inbox(), LaunchedAs::placed, 1.0, step);
        took.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    for (const auto& entry : fs::directory_iterator(waiting()))
        EXPECT_LE(entry.file_size(), most_record_bytes);
    EXPECT_EQ(num_waiting(), 100U);
    std::sort(took.begin(), took.end());
    std::printf("a record: %.3f ms (median of 99)\n", 1e3 * took[49]);
    EXPECT_LT(took[9], 0.002);  // the machine may be busy: a tenth of them had it for themselves
}

TEST_F(HistoryStoreTest, ARecordThatWasAddedAndNotRemovedCountsOnce) {
    put(inbox(), LaunchedAs::placed, 1.0, 0);
    fs::copy(waiting(), directory_ / "copy");
    static_cast<void>(store().merge());
    fs::copy(directory_ / "copy", waiting());

    EXPECT_EQ(store().merge().num_records, 0U);
    EXPECT_EQ(num_waiting(), 0U);
    EXPECT_EQ(load().value().groups().front().placed.front().num_runs(), 1U);
}

TEST_F(HistoryStoreTest, RecordsThatCannotBeReadCostALine) {
    put(inbox(), LaunchedAs::placed, 1.0, 0);
    write(waiting() / "1.0-a.run", "nonsense");
    write(waiting() / "1.0-b.run", "commmap-run 2 xxh128:0\nof another version");
    write(waiting() / "1.0-c.run", std::string(1 << 20, 'x'));
    ASSERT_EQ(::mkfifo((waiting() / "1.0-d.run").c_str(), 0600), 0);
    write(waiting() / "README", "somebody's");

    const auto merged = store().merge();

    EXPECT_EQ(merged.num_records, 1U);
    EXPECT_EQ(merged.notes,
              std::vector<std::string>{"4 records of launches cannot be read and are removed"});
    EXPECT_EQ(num_waiting(), 1U);  // README
}

TEST_F(HistoryStoreTest, ADamagedHistoryBeginsAnew) {
    for (const std::string& text :
         {std::string("nonsense"), std::string(), std::string(5 << 20, 'x'),
          std::string("commmap-history 1 xxh128:00\nbody")}) {
        fs::remove_all(profiles());
        put(inbox(), LaunchedAs::placed, 1.0, 0);
        write(file(), text);
        EXPECT_FALSE(load());

        const auto merged = store().merge();

        EXPECT_EQ(merged.notes.size(), 1U);
        EXPECT_EQ(load().value().groups().front().placed.front().num_runs(), 1U);
    }
}

TEST_F(HistoryStoreTest, AHistoryOfAnotherVersionStays) {
    put(inbox(), LaunchedAs::placed, 1.0, 0);
    write(file(), "commmap-history 7 xxh128:00\nbody");

    const auto merged = store().merge();

    EXPECT_EQ(merged.num_records, 0U);
    EXPECT_EQ(merged.notes,
              std::vector<std::string>{
                  "'" + file() +
                  "': the file is of another version of commmap: its runs are not compared"});
    EXPECT_EQ(load().error().code, Errc::not_supported);
    EXPECT_EQ(num_waiting(), 0U);
}

TEST_F(HistoryStoreTest, AHistoryUnderAnotherNameIsNone) {
    put(inbox(), LaunchedAs::placed, 1.0, 0);
    static_cast<void>(store().merge());
    fs::rename(file(), store().path_of("build-id:0a1b", 17));
    EXPECT_EQ(store().load("build-id:0a1b", 17).error().code, Errc::corrupt);
}

Profile profile_of_step(std::uint32_t step, double wall_s) {
    Profile profile;
    profile.application_id = "build-id:cafe+large";
    profile.command = "app";
    profile.job_id = 12;
    profile.step_id = step;
    profile.recorded_unix_s = 1'700'000'000;
    profile.complete = true;
    profile.nodes = {"n1"};
    profile.ranks.resize(16);
    profile.ranks.front().wall_s = wall_s;
    return profile;
}

TEST_F(HistoryStoreTest, RecordsOfProfileModeFindTheirTime) {
    RunRecord record = some_record(LaunchedAs::profiled, 1.0);
    record.application_id.clear();
    for (const double wall_s : {0.75, 0.0, 0.5}) {  // one says nothing of rank 0
        ASSERT_TRUE(ProfileStore(profiles()).save(profile_of_step(++record.run.step, wall_s)));
        record.clock = wall_s == 0.5 ? RunClock::step : RunClock::mpi;
        ASSERT_TRUE(inbox().put(record));
    }

    EXPECT_EQ(store().merge().num_records, 3U);

    const auto history = store().load("build-id:cafe+large", 16);
    ASSERT_TRUE(history) << history.error().message;
    const RunGroup* const by_mpi = history.value().find(7, 8, RunClock::mpi);
    const RunGroup* const by_step = history.value().find(7, 8, RunClock::step);
    ASSERT_TRUE(by_mpi != nullptr && by_step != nullptr);
    EXPECT_EQ(by_mpi->by_default.wall_s(), std::vector<double>{0.75});
    EXPECT_EQ(by_step->by_default.wall_s(), (std::vector<double>{1.0, 1.0, 1.0}));
}

TEST_F(HistoryStoreTest, RecordsOfProfileModeFindTheirProgram) {
    ASSERT_TRUE(ProfileStore(profiles()).save(profile_of_step(5, 0.5)));
    RunRecord record = some_record(LaunchedAs::profiled, 1.0, 5);
    record.application_id.clear();
    ASSERT_TRUE(inbox().put(record));
    record.run.step = 6;  // has no profile
    ASSERT_TRUE(inbox().put(record));

    EXPECT_EQ(store().merge().num_records, 1U);

    EXPECT_EQ(num_waiting(), 0U);
    EXPECT_TRUE(store().load("build-id:cafe+large", 16));
}

TEST_F(HistoryStoreTest, WhatIsNotTheUsersIsLeftAlone) {
    fs::create_directories(directory_ / "elsewhere/new");
    fs::create_directories(profiles());
    fs::create_directory_symlink(directory_ / "elsewhere", store().directory());

    EXPECT_FALSE(inbox().put(some_record(LaunchedAs::placed, 1.0)));
    EXPECT_EQ(store().merge().num_records, 0U);
    EXPECT_EQ(load().error().code, Errc::io);
    EXPECT_TRUE(store().list().empty());
    EXPECT_TRUE(fs::is_empty(directory_ / "elsewhere/new"));
}

TEST_F(HistoryStoreTest, ManyThatWaitAreMergedInParts) {
    constexpr std::uint32_t count = 3000;
    for (std::uint32_t step = 0; step < count; ++step)
        put(inbox(), LaunchedAs::placed, 1.0 + step, step);
    std::size_t all = 0;
    for (int times = 0; times < 3; ++times) {
        const std::size_t now = store().merge().num_records;
        EXPECT_LE(now, HistoryStore::most_at_once);
        all += now;
    }
    EXPECT_EQ(all, count);
    EXPECT_EQ(num_waiting(), 0U);
    EXPECT_EQ(load().value().groups().front().placed.front().num_runs(), count);
}

TEST_F(HistoryStoreTest, TwoThatMergeAtOnceCountARunOnce) {
    constexpr std::uint32_t count = 200;
    for (std::uint32_t step = 0; step < count; ++step)
        put(inbox(), LaunchedAs::kept, 1.0 + step, step);
    std::vector<std::size_t> merged(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t& mine : merged)
        threads.emplace_back([&] { mine = store().merge().num_records; });
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(merged[0] + merged[1] + merged[2] + merged[3], count);
    EXPECT_EQ(load().value().groups().front().by_default.num_runs(), count);
}

TEST_F(HistoryStoreTest, OnlyTheNewestProgramsAreKept) {
    for (std::uint32_t i = 0; i < HistoryStore::most_files + 10; ++i) {
        RunRecord record = some_record(LaunchedAs::kept, 1.0, i);
        record.application_id = "build-id:" + std::to_string(i);
        ASSERT_TRUE(inbox().put(record));
    }
    static_cast<void>(store().merge());
    EXPECT_EQ(store().list().size(), HistoryStore::most_files);
}

TEST_F(HistoryStoreTest, IsForgotten) {
    put(inbox(), LaunchedAs::kept, 1.0, 0);
    static_cast<void>(store().merge());
    EXPECT_TRUE(store().forget(file()));
    EXPECT_EQ(load().error().code, Errc::not_found);
    EXPECT_EQ(store().forget(file()).error().code, Errc::not_found);
}

TEST_F(HistoryStoreTest, AFullDirectoryCostsNoRecord) {
    put(inbox(), LaunchedAs::kept, 1.0, 0);
    fs::create_directory(file());  // cannot be replaced

    const auto merged = store().merge();

    EXPECT_FALSE(merged.notes.empty());
    EXPECT_EQ(num_waiting(), 1U);  // for better times
}

}  // namespace
}  // namespace commmap
