// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/profile/profile.hpp"
#include "pmix_hooks/recorded_run.hpp"

/// The tests recorder_*_test.cpp share these: they run programs under mpirun with the recorder
/// preloaded, and compare the profile with sums worked out by hand.
namespace commmap {

class RecorderTest : public RecordedRun {};

/// The same scenarios in C and in Fortran with mpif.h, with the module mpi, and with mpi_f08.
inline const char* const languages[] = {"traffic", "traffic_f77", "traffic_mpi", "traffic_f08"};

/// A file with such tests instantiates this suite with `languages` and language_alone().
class RecorderByLanguage : public RecorderTest, public testing::WithParamInterface<const char*> {};

inline std::string language_alone(const testing::TestParamInfo<const char*>& language) {
    return language.param;
}

/// A file with such tests instantiates this suite with `languages`, numbers of ranks, and
/// language_and_ranks().
class RecorderOnRanks : public RecorderTest,
                        public testing::WithParamInterface<std::tuple<const char*, int>> {
protected:
    const std::string program = std::get<0>(GetParam());
    const int n = std::get<1>(GetParam());
};

inline std::string language_and_ranks(
    const testing::TestParamInfo<std::tuple<const char*, int>>& parameters) {
    const auto& [language, ranks] = parameters.param;
    return std::string(language) + "_on_" + std::to_string(ranks);
}

/// What a rank sent: (peer, bucket) -> (count, bytes)
using Cells = std::map<std::pair<RankId, std::size_t>, std::pair<std::uint64_t, std::uint64_t>>;

inline Cells cells_of(const Profile& profile, std::size_t rank) {
    Cells cells;
    const TrafficMatrix sent = whole_run(profile).sent;
    for (const TrafficCell& to : sent.sent_by(static_cast<RankId>(rank)))
        cells[{to.peer, to.bucket}] = {to.count, to.bytes};
    return cells;
}

inline void add(Cells& cells, int peer, int bytes, int count = 1) {
    auto& cell = cells[{static_cast<RankId>(peer), size_bucket(static_cast<std::uint64_t>(bytes))}];
    cell.first += static_cast<std::uint64_t>(count);
    cell.second += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

/// Looks in the first phase. Returns null where there is no such collective.
inline const CollectiveRecord* find(const Profile& profile, CollectiveOp op, RankId root,
                                    bool in_peer_traffic, const std::vector<RankId>& members,
                                    std::uint8_t bucket = 0) {
    for (const CollectiveRecord& record : profile.phases[0].collectives)
        if (record.op == op && record.root == root && record.in_peer_traffic == in_peer_traffic &&
            record.bucket == bucket && profile.communicators[record.communicator] == members)
            return &record;
    return nullptr;
}

inline std::vector<RankId> ranks_below(int size) {
    std::vector<RankId> ranks;
    for (int r = 0; r < size; ++r) ranks.push_back(static_cast<RankId>(r));
    return ranks;
}

inline void expect_collective(const Profile& profile, CollectiveOp op, RankId root,
                              std::uint64_t calls, std::uint64_t bytes_per_call,
                              bool in_peer_traffic, const std::vector<RankId>& members) {
    const auto bucket =
        static_cast<std::uint8_t>(in_peer_traffic ? 0 : size_bucket(bytes_per_call));
    const CollectiveRecord* record = find(profile, op, root, in_peer_traffic, members, bucket);
    ASSERT_NE(record, nullptr) << collective_name(op) << " root " << root;
    EXPECT_EQ(record->calls, calls) << collective_name(op);
    EXPECT_EQ(record->bytes_per_call(), bytes_per_call) << collective_name(op);
}

}  // namespace commmap
