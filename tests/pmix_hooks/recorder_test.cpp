// Runs programs under mpirun with the recorder preloaded and compares the profile with sums worked
// out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/profile/recording/rank_report.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/application_id.hpp"
#include "core/program/identity.hpp"
#include "pmix_hooks/exchange/roll_call.hpp"
#include "pmix_hooks/recorded_run.hpp"

namespace commmap {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

class RecorderTest : public RecordedRun {};

bool contains_call(const Profile& profile, const std::string& name) {
    for (const RankRecord& rank : profile.ranks)
        for (const CallTime& time : rank.calls)
            if (profile.call_names[time.call] == name) return true;
    return false;
}

/// The same scenarios in C and in Fortran with mpif.h, with the module mpi, and with mpi_f08.
const char* const languages[] = {"traffic", "traffic_f77", "traffic_mpi", "traffic_f08"};

class RecorderByLanguage : public RecorderTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Languages, RecorderByLanguage, testing::ValuesIn(languages),
                         [](const auto& language) { return language.param; });

class RecorderOnRanks : public RecorderTest,
                        public testing::WithParamInterface<std::tuple<const char*, int>> {
protected:
    const std::string program = std::get<0>(GetParam());
    const int n = std::get<1>(GetParam());
};
std::string language_and_ranks(
    const testing::TestParamInfo<std::tuple<const char*, int>>& parameters) {
    const auto& [language, ranks] = parameters.param;
    return std::string(language) + "_on_" + std::to_string(ranks);
}
INSTANTIATE_TEST_SUITE_P(Ranks, RecorderOnRanks,
                         testing::Combine(testing::ValuesIn(languages), testing::Values(1, 2, 4)),
                         language_and_ranks);

using Cells = std::map<std::pair<RankId, std::size_t>, std::pair<std::uint64_t, std::uint64_t>>;

/// (peer, bucket) -> (count, bytes)
Cells cells_of(const Profile& profile, std::size_t rank) {
    Cells cells;
    const TrafficMatrix sent = whole_run(profile).sent;
    for (const TrafficCell& to : sent.sent_by(static_cast<RankId>(rank)))
        cells[{to.peer, to.bucket}] = {to.count, to.bytes};
    return cells;
}

void add(Cells& cells, int peer, int bytes, int count = 1) {
    auto& cell = cells[{static_cast<RankId>(peer), size_bucket(static_cast<std::uint64_t>(bytes))}];
    cell.first += static_cast<std::uint64_t>(count);
    cell.second += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

const CollectiveRecord* find(const Profile& profile, CollectiveOp op, RankId root,
                             bool in_peer_traffic, const std::vector<RankId>& members,
                             std::uint8_t bucket = 0) {
    for (const CollectiveRecord& record : profile.phases[0].collectives)
        if (record.op == op && record.root == root && record.in_peer_traffic == in_peer_traffic &&
            record.bucket == bucket && profile.communicators[record.communicator] == members)
            return &record;
    return nullptr;
}

std::vector<RankId> ranks_below(int size) {
    std::vector<RankId> ranks;
    for (int r = 0; r < size; ++r) ranks.push_back(static_cast<RankId>(r));
    return ranks;
}

void expect_collective(const Profile& profile, CollectiveOp op, RankId root, std::uint64_t calls,
                       std::uint64_t bytes_per_call, bool in_peer_traffic,
                       const std::vector<RankId>& members) {
    const auto bucket =
        static_cast<std::uint8_t>(in_peer_traffic ? 0 : size_bucket(bytes_per_call));
    const CollectiveRecord* record = find(profile, op, root, in_peer_traffic, members, bucket);
    ASSERT_NE(record, nullptr) << collective_name(op) << " root " << root;
    EXPECT_EQ(record->calls, calls) << collective_name(op);
    EXPECT_EQ(record->bytes_per_call(), bytes_per_call) << collective_name(op);
}

TEST_P(RecorderOnRanks, CountsEveryKindOfSend) {
    const Outcome outcome = record(n, program + " sends");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    const Profile recorded = as_one_phase(n);
    ASSERT_EQ(recorded.num_ranks(), static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
        const auto right = static_cast<RankId>((r + 1) % n);
        const Cells expected = {
            {{right, 0}, {5, 0 + 16 + 3 * 10}},  // Send, Bsend, Send_init
            {{right, 1},
             {7, 17 + 64 + 20 + 30 + 48 + 40 + 50}},  // Ssend, Rsend, Bsend_init, Rsend_init,
                                                      // vector, Sendrecv, Sendrecv_replace
            {{right, 2}, {5, 65 + 256 + 3 * 100}},    // Isend, Ibsend, Ssend_init
            {{right, 3}, {2, 257 + 1024}},            // Issend, Irsend
        };
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
    expect_collective(recorded, CollectiveOp::barrier, no_id, 1, 0, false, ranks_below(n));
    EXPECT_EQ(recorded.phases[0].collectives.size(), 1u);
}

/// Messages of each phase to a rank's neighbour `distance` further, by bytes.
const Phase* phase_named(const Profile& profile, const std::string& label) {
    for (const Phase& phase : profile.phases)
        if (phase.label == label) return &phase;
    return nullptr;
}

/// That every rank sent in that phase only `bytes` to the next, so often.
void expect_ring(const Profile& profile, const std::string& label, std::uint64_t entered,
                 std::uint64_t bytes, std::uint64_t times) {
    const Phase* phase = phase_named(profile, label);
    ASSERT_NE(phase, nullptr) << label;
    EXPECT_EQ(phase->entered, entered) << label;
    const auto num_ranks = static_cast<RankId>(profile.num_ranks());
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        const std::vector<TrafficCell> expected = {{(rank + 1) % num_ranks,
                                                    static_cast<std::uint32_t>(size_bucket(bytes)),
                                                    times, times * bytes}};
        EXPECT_THAT(phase->sent.sent_by(rank), ElementsAreArray(expected)) << label;
    }
}

TEST_P(RecorderByLanguage, LevelsOfPcontrolArePhases) {
    const Outcome outcome = record(3, GetParam() + std::string(" levels"));

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "", 0, 10, 2);
    expect_ring(recorded, "1", 2, 100, 3);
    expect_ring(recorded, "2", 1, 1000, 3);
    double wall = 0.0;
    double mpi = 0.0;
    for (const Phase& phase : recorded.phases) {
        EXPECT_GT(phase.wall_s, 0.0);
        EXPECT_GT(phase.mpi_s, 0.0);
        EXPECT_LE(phase.mpi_s, phase.wall_s);
        wall += phase.wall_s;
        mpi += phase.mpi_s;
    }
    // calls are counted where time is; the first barrier is MPI_Init's own
    for (const RankRecord& rank : recorded.ranks) {
        ASSERT_EQ(recorded.call_names, (std::vector<std::string>{"MPI_Sendrecv"}));
        ASSERT_EQ(rank.calls.size(), 1u);
        EXPECT_EQ(rank.calls[0].count, 8u);
        EXPECT_NEAR(static_cast<double>(rank.calls[0].seconds), rank.mpi_s, 1e-6);
    }
    double wall_of_ranks = 0.0;
    double mpi_of_ranks = 0.0;
    for (const RankRecord& rank : recorded.ranks) {
        wall_of_ranks += rank.wall_s / 3;
        mpi_of_ranks += rank.mpi_s / 3;
    }
    EXPECT_NEAR(wall, wall_of_ranks, 1e-9);
    EXPECT_NEAR(mpi, mpi_of_ranks, 1e-9);
}

TEST_P(RecorderByLanguage, CallsOfMpiIoHaveTheirBytes) {
    const std::string file = (directory_ / "data").string();

    const Outcome outcome = record(2, GetParam() + std::string(" files ") + file);

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(fs::file_size(file), 1148u);
    const Profile recorded = profile(2);
    for (const RankRecord& rank : recorded.ranks) {
        std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> calls;
        for (const CallTime& time : rank.calls)
            calls[recorded.call_names[time.call]] = {time.count, time.bytes};
        const decltype(calls) expected{{"MPI_File_write_at_all", {1, 100}},
                                       {"MPI_File_write_at", {2, 48}},
                                       {"MPI_File_sync", {1, 0}},
                                       {"MPI_File_iread_at", {1, 50}},
                                       {"MPI_Wait", {1, 0}},
                                       {"MPI_File_read_at_all_begin", {1, 10}},
                                       {"MPI_File_read_at_all_end", {1, 0}},
                                       {"MPI_File_close", {1, 0}}};
        EXPECT_EQ(calls, expected);
    }
    EXPECT_EQ(recorded.phases[0].sent.num_cells(), 0u) << "what MPI sends for it is its own";
}

TEST_F(RecorderTest, LabelsOfPcontrolArePhases) {
    for (const std::string program : {"traffic", "traffic_f77"}) {
        const Outcome outcome = record(3, program + " labels");

        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = profile(3);
        ASSERT_EQ(recorded.phases.size(), 3u);
        expect_ring(recorded, "", 0, 10, 3);
        expect_ring(recorded, "solve", 3, 100, 6);
        expect_ring(recorded, "halo", 6, 1000, 6);
        const Phase& solve = *phase_named(recorded, "solve");
        ASSERT_EQ(solve.collectives.size(), 1u);
        EXPECT_EQ(solve.collectives[0].op, CollectiveOp::barrier);
        EXPECT_EQ(solve.collectives[0].calls, 3u);
        EXPECT_THAT(phase_named(recorded, "")->collectives, IsEmpty());
    }
}

TEST_F(RecorderTest, TakesNothingForALabelThatCannotBeOne) {
    const Outcome outcome = record(3, "traffic wild_labels");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "", 0, 10, 7);
    expect_ring(recorded, "1", 7, 100, 7);
    expect_ring(recorded, "fence", 1, 1000, 1);
}

/// What rank 0 sent to a peer in one phase, as a share of all that it sent there.
double share_of(const Profile& recorded, std::size_t phase, RankId peer) {
    double all = 0.0;
    double there = 0.0;
    for (const Phase& each : recorded.phases)
        for (const TrafficCell& cell : each.sent.sent_by(0)) {
            if (cell.peer != peer) continue;
            all += static_cast<double>(cell.count);
            if (&each == &recorded.phases[phase]) there += static_cast<double>(cell.count);
        }
    return there / all;
}

/// Slices with like patterns are one phase, wherever they are; and a phase of its own where a slice
/// has half of each pattern. @return what is not so
std::string wrong_with_slices(const Profile& recorded) {
    if (recorded.phases.size() < 2 || recorded.phases.size() > 4)
        return std::to_string(recorded.phases.size()) + " phases";
    std::size_t to_second = 1;
    for (std::size_t i = 2; i < recorded.phases.size(); ++i)
        if (share_of(recorded, i, 2) > share_of(recorded, to_second, 2)) to_second = i;
    if (share_of(recorded, 0, 1) <= 0.7 || share_of(recorded, to_second, 2) <= 0.5)
        return "a pattern is spread over phases";
    if (recorded.phases[0].times.size() < 2) return "the first pattern does not come again";
    return "";
}

TEST_F(RecorderTest, FindsPhasesFromTimeSlices) {
    // Ranks of a busy machine are out of step for longer than a slice.
    std::string wrong = "not run";
    for (int attempt = 0; attempt < 3 && !wrong.empty(); ++attempt) {
        if (attempt > 0) note_retry(wrong);
        const Outcome outcome = record(4, "traffic slices");
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = profile(4);
        EXPECT_GT(recorded.slice_s, 0.0);
        // each rank sent as often: nothing is lost at a boundary
        const TrafficMatrix sent = whole_run(recorded).sent;
        for (RankId rank = 1; rank < 4; ++rank)
            EXPECT_EQ(sum_of(sent.sent_by(rank)).count, sum_of(sent.sent_by(0)).count);
        wrong = wrong_with_slices(recorded);
    }
    EXPECT_EQ(wrong, "");
}

TEST_F(RecorderTest, LabelsThatNeverEndOrNeverBeganHarmNoOther) {
    const Outcome outcome = record(3, "traffic deep_labels");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "io", 1, 1000, 1);
    expect_ring(recorded, "step", 40, 100, 1);
}

/// A call is as long as it is: no phase has more time in MPI than there was.
TEST_F(RecorderTest, TimeInALongCallBelongsToTheSlicesThatItGoesThrough) {
    const Outcome outcome = record(4, "traffic long_call");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(4);
    double mpi = 0.0;
    for (const Phase& phase : recorded.phases) {
        EXPECT_LE(phase.mpi_s, phase.wall_s) << phase.times.size();
        mpi += phase.mpi_s;
    }
    EXPECT_GT(mpi, 1.0);  // three of four ranks wait for 0.9 and 0.6 s
    double of_ranks = 0.0;
    for (const RankRecord& rank : recorded.ranks) of_ranks += rank.mpi_s / 4;
    EXPECT_NEAR(mpi, of_ranks, 1e-6);
}

TEST_F(RecorderTest, LosesNothingWhenThreadsSendWhileSlicesEnd) {
    const Outcome outcome = record(2, "traffic sliced_threads");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(2);
    EXPECT_GT(recorded.slice_s, 0.0);
    const TrafficMatrix sent = whole_run(recorded).sent;
    for (RankId rank = 0; rank < 2; ++rank) {
        const TrafficSum sum = sum_of(sent.sent_by(rank));
        EXPECT_THAT(outcome.out, HasSubstr("sent " + std::to_string(rank) + " " +
                                           std::to_string(sum.count) + "\n"));
        EXPECT_EQ(sum.bytes, 3 * sum.count);
    }
    for (const Phase& phase : recorded.phases) EXPECT_LE(phase.mpi_s, phase.wall_s * 1.001);
}

TEST_F(RecorderTest, ManyLabelsAreKeptAndTheRestAreOthers) {
    const Outcome outcome = record(3, "traffic many_phases");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    EXPECT_EQ(recorded.phases.size(), 64u);
    EXPECT_NE(phase_named(recorded, "(others)"), nullptr);
    const TrafficMatrix sent = whole_run(recorded).sent;
    for (RankId rank = 0; rank < 3; ++rank) EXPECT_EQ(sum_of(sent.sent_by(rank)).count, 5000u);
}

TEST_P(RecorderByLanguage, TranslatesCommunicators) {
    const Outcome outcome = record(4, GetParam() + std::string(" communicators"));

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(4);
    std::vector<Cells> expected(4);
    add(expected[3], 2, 8);  // reversed: 0 -> 1
    for (const int r : {0, 1}) add(expected[static_cast<std::size_t>(r)], r + 2, 4, 10);
    for (const int r : {0, 2}) add(expected[static_cast<std::size_t>(r)], r + 1, 4, 10);
    for (int r = 0; r < 4; ++r) {
        Cells& cells = expected[static_cast<std::size_t>(r)];
        add(cells, r ^ 1, 70);  // the same index in the other group
        for (const int other : {0, 1}) add(cells, 2 * other + 1 - (r & 1), 300);
        if (r == 3)
            for (const int other : {0, 2}) add(cells, other, 1100);
    }
    for (std::size_t r = 0; r < 4; ++r)
        EXPECT_EQ(cells_of(recorded, r), expected[r]) << "rank " << r;

    // two communicators of the same members are one; rank 1 of the reversed order is world rank 2
    expect_collective(recorded, CollectiveOp::bcast, 2, 2, 150, false, {3, 2, 1, 0});
    // the intercommunicator: even group first, for it has rank 0
    expect_collective(recorded, CollectiveOp::alltoall, no_id, 1, 300, true, {0, 2, 1, 3});
    expect_collective(recorded, CollectiveOp::bcast, 3, 1, 1100, true, {0, 2, 1, 3});
    EXPECT_EQ(recorded.communicators.size(), 2u);
    EXPECT_EQ(recorded.phases[0].collectives.size(), 3u);
}

TEST_P(RecorderOnRanks, CountsCollectives) {
    const Outcome outcome = record(n, program + " collectives");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const auto root = static_cast<RankId>(n - 1);
    const auto size = static_cast<std::uint64_t>(n);
    const auto world = ranks_below(n);
    using enum CollectiveOp;
    expect_collective(recorded, barrier, no_id, 2, 0, false, world);
    expect_collective(recorded, bcast, root, 1, 100, false, world);
    expect_collective(recorded, bcast, root, 1, 300, false, world);
    expect_collective(recorded, bcast, 0, 1, 7, false, world);
    expect_collective(recorded, reduce, root, 1, 40, false, world);
    expect_collective(recorded, allreduce, no_id, 2, 44, false, world);
    expect_collective(recorded, scan, no_id, 1, 48, false, world);
    expect_collective(recorded, exscan, no_id, 1, 52, false, world);
    expect_collective(recorded, gather, root, 1, 20, false, world);
    expect_collective(recorded, scatter, root, 1, 24, false, world);
    expect_collective(recorded, allgather, no_id, 1, 28, false, world);
    expect_collective(recorded, alltoall, no_id, 1, 32, false, world);
    const bool in_one_bucket = size_bucket(4 * size) == size_bucket(12 * size);
    if (in_one_bucket) {
        expect_collective(recorded, reduce_scatter, no_id, 2, 8 * size, false, world);
    } else {
        expect_collective(recorded, reduce_scatter, no_id, 1, 4 * size, false, world);
        expect_collective(recorded, reduce_scatter, no_id, 1, 12 * size, false, world);
    }
    EXPECT_EQ(recorded.phases[0].collectives.size(), in_one_bucket ? 13u : 14u);
    EXPECT_THAT(recorded.phases[0].sent.cells(), IsEmpty());
}

TEST_P(RecorderOnRanks, PutsLengthsByDestinationIntoPeerTraffic) {
    const Outcome outcome = record(n, program + " by_destination");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const int root = n - 1;
    for (int r = 0; r < n; ++r) {
        Cells expected;
        for (int d = 0; d < n; ++d)
            if (d != r) add(expected, d, 10 * r + d + 1, 2);  // Alltoallv, Alltoallw
        if (r != root) add(expected, root, 100 + r);          // Gatherv
        for (int d = 0; r == root && d < n; ++d)
            if (d != r) add(expected, d, 100 + d);  // Scatterv
        for (const int bytes : {1100, 700}) {       // Neighbor_allgather, _allgatherv on a line
            if (r > 0) add(expected, r - 1, bytes);
            if (r < n - 1) add(expected, r + 1, bytes);
        }
        add(expected, (r + 1) % n, 5000, 2);  // Neighbor_alltoall, _alltoallv on a ring
        add(expected, (r + 1) % n, 1);        // Neighbor_alltoallw
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
    const auto world = ranks_below(n);
    const auto world_root = static_cast<RankId>(root);
    using enum CollectiveOp;
    // means over the ranks of 100 + r, rounded half up
    const auto mean = static_cast<std::uint64_t>((100 * n + n * (n - 1) / 2 + n / 2) / n);
    expect_collective(recorded, gather, world_root, 1, mean, true, world);
    expect_collective(recorded, scatter, world_root, 1, mean, true, world);
    expect_collective(recorded, allgather, no_id, 1, mean, false, world);
    expect_collective(recorded, neighbor_allgather, no_id, 2, 900, true, world);
    expect_collective(recorded, neighbor_alltoall, no_id, 3, 10001 / 3 + 1, true, world);
    ASSERT_NE(find(recorded, alltoall, no_id, true, world), nullptr);
    EXPECT_EQ(find(recorded, alltoall, no_id, true, world)->calls, 2u);
    ProcessTopology line{.communicator = 0,
                         .dims = {static_cast<std::uint32_t>(n)},
                         .periodic = {0},
                         .destinations = {}};
    ProcessTopology ring;
    for (int r = 0; r < n; ++r) ring.destinations.push_back({static_cast<RankId>((r + 1) % n)});
    EXPECT_EQ(recorded.topologies, (std::vector<ProcessTopology>{line, ring}));
}

/// As much as the blocking forms, of which the sums are above.
TEST_P(RecorderOnRanks, CountsNonblockingAndPersistentCollectives) {
    using Sums = std::map<CollectiveRecord::Key, std::array<std::uint64_t, 3>>;
    const auto recorded = [&](const std::string& scenario) {
        const Outcome outcome = record(n, program + " " + scenario);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return as_one_phase(n);
    };
    const auto add_up = [](const Profile& profile, Sums& sums) {
        for (const CollectiveRecord& each : profile.phases[0].collectives) {
            EXPECT_EQ(profile.communicators[each.communicator].size(), profile.num_ranks());
            auto key = each.key();
            std::get<0>(key) = 0;
            auto& sum = sums[key];
            sum[0] += each.calls;
            sum[1] += each.member_calls;
            sum[2] += each.member_bytes;
        }
    };
    Sums blocking;
    add_up(recorded("collectives"), blocking);
    const Profile by_destination = recorded("by_destination");
    add_up(by_destination, blocking);
    const bool in_c = program == "traffic";
    for (const auto& [scenario, call] :
         {std::pair{"nonblocking", "MPI_Iallreduce"}, std::pair{"started", "MPI_Allreduce_init"}}) {
        if (scenario == std::string("started") && !in_c) continue;
        const Profile profile = recorded(scenario);
        Sums sums;
        add_up(profile, sums);
        EXPECT_EQ(sums, blocking) << scenario;
        EXPECT_EQ(profile.phases[0].sent, by_destination.phases[0].sent) << scenario;
        EXPECT_FALSE(contains_call(profile, "MPI_Allreduce"));
        EXPECT_TRUE(contains_call(profile, call)) << call;
    }
}

TEST_P(RecorderOnRanks, CountsOneSidedMessagesBothWays) {
    const Outcome outcome = record(n, program + " one_sided");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    for (int r = 0; r < n; ++r) {
        const int right = (r + 1) % n;
        const int left = (r + n - 1) % n;
        Cells expected;
        // Put, Accumulate, Rput, Raccumulate, Get_accumulate, Fetch_and_op, Compare_and_swap
        for (const int bytes : {10, 32, 100, 8, 12, 4, 8}) add(expected, right, bytes);
        // what the left one fetched: Get, Rget, Get_accumulate, Rget_accumulate, Fetch_and_op,
        // Compare_and_swap
        for (const int bytes : {20, 300, 12, 200, 4, 4}) add(expected, left, bytes);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_F(RecorderTest, CountsEachStartOfAPersistentCollective) {
    const int n = 3;

    const Outcome outcome = record(n, "traffic persistent");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const auto world = ranks_below(n);
    using enum CollectiveOp;
    expect_collective(recorded, allreduce, no_id, 3, 44, false, world);
    expect_collective(recorded, barrier, no_id, 2, 0, false, world);
    ASSERT_NE(find(recorded, alltoall, no_id, true, world), nullptr);
    EXPECT_EQ(find(recorded, alltoall, no_id, true, world)->calls, 2u);
    EXPECT_EQ(recorded.phases[0].collectives.size(), 3u);
    for (int r = 0; r < n; ++r) {
        Cells expected;
        for (int d = 0; d < n; ++d)
            if (d != r) add(expected, d, 10 * r + d + 1, 2);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_F(RecorderTest, LosesNothingWhenThreadsSend) {
    for (const int n : {1, 2}) {
        const Outcome outcome = record(n, "traffic threads");

        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = as_one_phase(n);
        for (int r = 0; r < n; ++r) {
            Cells expected;
            add(expected, r, 1, 4 * 20000);
            add(expected, (r + 1) % n, 1, 4 * 50);
            EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected)
                << "rank " << r << " of " << n;
        }
    }
}

TEST_F(RecorderTest, KnowsCommunicatorsThatComeAndGo) {
    const int n = 3;

    const Outcome outcome = record(n, "traffic passing");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    for (int r = 0; r < n; ++r) {
        Cells expected;
        add(expected, (r + 1) % n, 1, 4 * 300);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_F(RecorderTest, RecordsNothingWhenARankLacksTheRecorder) {
    const std::string recorder = "-x LD_PRELOAD=" + library +
                                 " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app "
                                 "-x COMMMAP_PROFILE_DIR=" +
                                 profiles_.string() + " ";
    const std::string with = " " + recorder + programs + "/traffic sends ";
    const std::string without = " " + programs + "/traffic sends ";
    const std::string not_asked =
        " " + recorder + "-x COMMMAP_RECORD=0 " + programs + "/traffic sends ";
    const std::string start = mpirun_words() + "--mca btl self,vader -np 1";
    struct Case {
        std::string rest;
        int missing;
    };
    for (const Case& c :
         {Case{with + ": -np 2" + without + ": -np 1" + with, 1},
          Case{without + ": -np 2" + with, 0}, Case{with + ": -np 1" + not_asked, 1}}) {
        const Outcome outcome = run_shell(start + c.rest);

        EXPECT_EQ(outcome.exit_code, 0) << c.rest;
        EXPECT_THAT(outcome.err, testing::StartsWith("commmap: not recorded: rank " +
                                                     std::to_string(c.missing) + " "))
            << c.rest;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_THAT(files(), IsEmpty());
    }
}

/// Few ranks look each other up when they get to their end, which these never do.
TEST_F(RecorderTest, ManyRanksLookEachOtherUpAfterMpiInit) {
    for (const int n : {3, 24}) {
        const Outcome outcome = record(1, "traffic exit_together : -np " + std::to_string(n - 1) +
                                              " " + programs + "/traffic exit_together");
        EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
        EXPECT_EQ(
            outcome.err.find("commmap: not recorded: rank 1 runs without") == std::string::npos,
            n == 3)
            << outcome.err;
    }
}

TEST_F(RecorderTest, RecordsManyRanks) {
    for (const std::string shares : {"", "-x PMIX_MCA_gds=hash"}) {
        ASSERT_EQ(record(24, "traffic sends", shares).exit_code, 0) << shares;
        EXPECT_EQ(profile(24).num_ranks(), 24u);
        fs::remove_all(profiles_);
    }
}

TEST_F(RecorderTest, KeepsGridsAndGraphs) {
    ASSERT_EQ(record(4, "traffic topologies").exit_code, 0);

    const Profile recorded = profile(4);
    ASSERT_EQ(recorded.communicators, (std::vector<std::vector<RankId>>{{0, 1, 2, 3}, {0, 1}}));
    const std::vector<ProcessTopology> expected = {
        {.communicator = 0, .dims = {2, 2}, .periodic = {0, 1}, .destinations = {}},
        {.communicator = 0, .dims = {2, 2}, .periodic = {1, 1}, .destinations = {}},
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {{1, 3}, {0}, {3}, {0, 2}}},
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {{0, 1}, {}, {}, {}}},
        {.communicator = 1, .dims = {2}, .periodic = {0}, .destinations = {}}};
    EXPECT_EQ(recorded.topologies, expected);
}

TEST_F(RecorderTest, NotesForWhomCallsWait) {
    ASSERT_EQ(record(3, "traffic waits").exit_code, 0);

    const Profile recorded = profile(3);
    for (RankId rank = 0; rank < 3; ++rank) {
        std::map<RankId, std::uint64_t> calls;
        for (const PeerWait& wait : recorded.ranks[rank].waits) {
            calls[wait.peer] = wait.calls;
            EXPECT_GT(wait.seconds, 0.0F) << rank;
            EXPECT_LE(wait.seconds, recorded.ranks[rank].mpi_s) << rank;
        }
        const std::map<RankId, std::uint64_t> expected = {{(rank + 2) % 3, 5}, {(rank + 1) % 3, 3}};
        EXPECT_EQ(calls, expected) << rank;
    }

    fs::remove_all(profiles_);
    ASSERT_EQ(record(3, "traffic waits", "-x COMMMAP_RECORD_TIME=0").exit_code, 0);
    for (const RankRecord& rank : profile(3).ranks) EXPECT_TRUE(rank.waits.empty());
}

TEST_F(RecorderTest, NotesHowManySendsAreOpen) {
    ASSERT_EQ(record(2, "traffic open_sends").exit_code, 0);

    const auto bucket_of = [](std::uint64_t bytes) {
        return static_cast<std::uint32_t>(size_bucket(bytes));
    };
    const std::vector<OpenSends> expected = {
        {.bucket = bucket_of(16000), .most = 2, .sends = 5, .others = 3},
        {.bucket = bucket_of(60000), .most = 3, .sends = 1, .others = 3}};
    for (const RankRecord& rank : profile(2).ranks) EXPECT_EQ(rank.open_sends, expected);
}

TEST_F(RecorderTest, LooksForMessagesThatComeBeforeTheirReceives) {
    ASSERT_EQ(record(2, "traffic early_messages").exit_code, 0);
    for (const RankRecord& rank : profile(2).ranks)
        EXPECT_EQ(rank.early_messages, (EarlyMessages{.looked_at = 4, .early = 2}));

    fs::remove_all(profiles_);
    ASSERT_EQ(record(2, "traffic early_messages", "-x COMMMAP_RECORD_TIME=0").exit_code, 0);
    for (const RankRecord& rank : profile(2).ranks) EXPECT_EQ(rank.early_messages, EarlyMessages{});
}

TEST_F(RecorderTest, EndsWithMpiWhoeverEndsIt) {
    const Outcome outcome = record(2, "traffic finalize_past_the_wrapper");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(profile(2).num_ranks(), 2u);
}

TEST_F(RecorderTest, IsOfTheJobStepNotOfWhatItsRanksStart) {
    const Outcome children = record(1, "traffic children");
    fs::remove_all(profiles_);
    const std::string in_step = "-x SLURM_STEP_NUM_TASKS=4 -x SLURM_PROCID=";
    const Outcome other_world = record(2, "traffic sends", in_step + "0");
    const Outcome of_another_task = record(2, "traffic sends", in_step + "3");

    EXPECT_THAT(children.out, HasSubstr("children see 0\n"));
    EXPECT_EQ(other_world.exit_code, 0);
    EXPECT_THAT(
        other_world.err,
        testing::StartsWith("commmap: not recorded: MPI_COMM_WORLD has 2 ranks, the job step 4"));
    EXPECT_EQ(std::count(other_world.err.begin(), other_world.err.end(), '\n'), 1);
    EXPECT_EQ(of_another_task.exit_code, 0);
    EXPECT_THAT(of_another_task.err, IsEmpty());
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, SaysWhereAndWhenItRan) {
    const Outcome outcome = record(2, "traffic sends", "-x SLURM_JOB_ID=4711 -x COMMMAP_VERBOSE=1");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("commmap: recorded 2 ranks, 38 messages, "));
    const Profile recorded = profile(2);
    char host[256] = "";
    ::gethostname(host, sizeof host);
    EXPECT_EQ(recorded.application_id, "test:app");
    EXPECT_EQ(recorded.command, "/x/app");
    EXPECT_EQ(recorded.job_id, 4711u);
    EXPECT_THAT(recorded.mpi_library, HasSubstr("Open MPI"));
    EXPECT_FALSE(recorded.recorder_version.empty());
    EXPECT_EQ(recorded.nodes, std::vector<std::string>{host});
    for (const RankRecord& rank : recorded.ranks) {
        EXPECT_FALSE(rank.cpus.empty());
        EXPECT_GT(rank.wall_s, 0.0);
        EXPECT_GT(rank.mpi_s, 0.0);
        EXPECT_LE(rank.mpi_s, rank.wall_s);
    }
}

TEST_F(RecorderTest, LeavesTimeOutWhenAsked) {
    record(2, "traffic sends", "-x COMMMAP_RECORD_TIME=0");

    for (const RankRecord& rank : profile(2).ranks) EXPECT_EQ(rank.mpi_s, 0.0);
}

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
    for (const RankRecord& rank : set.ranks) program_of_rank.push_back(rank.program);
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

TEST_F(RecorderTest, IsSilentWithoutBeingAsked) {
    const Outcome outcome =
        mpirun(2, "traffic sends",
               "-x LD_PRELOAD=" + library + " -x COMMMAP_PROFILE_DIR=" + profiles_.string());

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, KeepsExitCodesAndWritesNothingAfterAnAbort) {
    EXPECT_EQ(record(2, "traffic status").exit_code, mpirun(2, "traffic status").exit_code);
    EXPECT_EQ(files().size(), 1u);
    fs::remove_all(profiles_);

    EXPECT_EQ(record(2, "traffic abort").exit_code, 42);
    EXPECT_EQ(record(1, "traffic exit").exit_code, mpirun(1, "traffic exit").exit_code);
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, SurvivesAForkedChildThatExits) {
    const Outcome outcome = record(2, "traffic fork");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(RecorderTest, ARankThatNeedsMoreMemoryThanThereIsCostsTheProfile) {
    const Outcome outcome = record(2, "traffic many_requests");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("a rank needed more than 64 MiB"));
    EXPECT_THAT(files(), IsEmpty());
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

TEST_F(RecorderTest, AddsNoHeapCallsToASend) {
    const Outcome plain = mpirun(2, "allocation");
    const Outcome recorded = record(2, "allocation");

    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, "heap calls 0\nheap calls 0\n");
    EXPECT_EQ(recorded.out, plain.out);
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

TEST_F(RecorderTest, SaysThatSpawnedProcessesAreNotRecorded) {
    transports_ = "self,vader,tcp --mca btl_tcp_if_include lo";  // shared memory is of one job
    const Outcome outcome = record(2, "spawn");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "all answered\n");
    EXPECT_THAT(outcome.err, HasSubstr("not recorded: processes that MPI_Comm_spawn starts"));
    const Profile recorded = as_one_phase(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        Cells expected;
        add(expected, 1 - static_cast<int>(rank), 4);
        EXPECT_EQ(cells_of(recorded, rank), expected) << rank;
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

TEST_F(RecorderTest, LearnsItsNodeFromPmix) {
    char host[256] = "";
    ::gethostname(host, sizeof host);

    const Outcome outcome = mpirun(1, "where");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "before '' " + std::to_string(no_id) + "\nafter '" + host + "' 0\n");
}

/// Short reports travel with the answers of the ranks, long ones over a communicator.
TEST_F(RecorderTest, GathersShortAndLongReports) {
    struct Case {
        int ranks;
        int every;  // rank `every` - 1, 2 * `every` - 1, ... send to everybody
    };
    for (const auto [n, every] : {Case{3, 1}, Case{12, 1}, Case{12, 3}, Case{12, 12}}) {
        const std::string program = "traffic everybody 9 " + std::to_string(every);
        SCOPED_TRACE(program + ", " + std::to_string(n) + " ranks");
        ASSERT_EQ(record(n, program).exit_code, 0);
        const Profile recorded = as_one_phase(n);
        for (int r = 0; r < n; ++r) {
            Cells expected;
            for (int to = 0; r % every == every - 1 && to < n; ++to)
                for (int bytes = 1; to != r && bytes <= 1 << 16; bytes *= 4)
                    add(expected, to, bytes);
            EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << r;
        }
        RankReport report;
        const auto sent = recorded.phases[0].sent.sent_by(static_cast<RankId>(every - 1));
        report.sections.emplace_back().sent.assign(sent.begin(), sent.end());
        report.rounds = recorded.rounds.ranks[static_cast<std::size_t>(every - 1)];
        EXPECT_EQ(encode_rank_report(report).size() > hooks::RollCall::most_bytes_of_report(n),
                  n == 12);
    }
}

TEST_F(RecorderTest, LeavesAloneWhatTheProgramLeftPosted) {
    for (const int n : {2, 12}) {  // short reports, and long ones
        EXPECT_EQ(record(n, "traffic leftover").exit_code, 0) << n << " ranks";
        EXPECT_EQ(profile(n).num_ranks(), static_cast<std::size_t>(n));
    }
}

/// Of the PMIx of this machine: the lists of ranks and the keys are as they are expected.
TEST_F(RecorderTest, RanksOfANodeKnowTheLowestThatHasAKey) {
    EXPECT_EQ(mpirun(4, "leaving_check speaker").exit_code, 0);
}

TEST_F(RecorderTest, HandsShortReportsOver) {
    for (const std::string way : {"short", "long", "one_long", "root_long", "empty"})
        for (const int n : {1, 2, 5})
            EXPECT_EQ(mpirun(n, "leaving_check " + way).exit_code, 0) << n << " ranks, " << way;
}

TEST_F(RecorderTest, GathersInChunks) {
    for (const int n : {1, 2, 4, 7})
        EXPECT_EQ(mpirun(n, "gather_check complete").exit_code, 0) << n << " ranks";
}

TEST_F(RecorderTest, GathersNoMoreThanItsLimitAndWaitsForNobodyWhoFailed) {
    for (const int n : {4, 6, 7})
        for (const std::string way : {"too_large", "lost"})
            EXPECT_EQ(mpirun(n, "gather_check " + way).exit_code, 0) << n << " ranks, " << way;
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

/// The reports of all go through a socket, and through no file that has a length.
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

/// As runs in one batch script are, which have one number.
TEST_F(RecorderTest, SavesEachRunOfAStep) {
    for (int run = 1; run <= 2; ++run) {
        const std::string program = "traffic everybody " + std::to_string(run);
        EXPECT_EQ(record(2, program, "-x SLURM_JOB_ID=7").exit_code, 0);
        EXPECT_EQ(files().size(), static_cast<std::size_t>(run));
    }
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

TEST_F(RecorderTest, AsksTheServerWherePmixSharesNoMemory) {
    const Outcome outcome = record(3, "traffic sends", "-x PMIX_MCA_gds=hash");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(profile(3).num_ranks(), 3u);
}

TEST_F(RecorderTest, RecordsNothingWhereMpiDoesNotTellEverybodyOfEverybody) {
    const Outcome outcome = record(3, "traffic sends", "--mca pmix_base_collect_data 0");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err,
                testing::StartsWith("commmap: not recorded: the MPI library does not"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace commmap
