// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a rank sends to rank 0; the size in front of it is put right.
#include "core/profile/recording/rank_record_codec.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/simulation/run_simulator.hpp"
#include "core/steps/steps.hpp"
#include "core/topology/sample_hct.hpp"
#include "fuzz/merged.hpp"
#include "fuzz/right_size.hpp"

namespace commmap::fuzz {
namespace {

/// What the planner makes of rounds.
void replay_rounds(const Profile& profile) {
    auto replayed = replay(profile);
    if (!replayed) return;
    const auto script = script_of(profile, replayed.value().begins);
    static_cast<void>(steps_of(profile, std::move(replayed).value().kinds));
    if (!script) return;
    const std::vector<PuId> placement = {0, 2};  // on two nodes
    const auto time_s = simulated_time_s(script.value(), two_nodes_of_two(), placement);
    require(!time_s || (std::isfinite(time_s.value()) && time_s.value() >= 0.0),
            "a simulated run takes an impossible time");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    const auto record = decode_rank_record(with_right_size(text_of(data, size)));
    if (!record) return 0;
    ++taken;
    const std::string bytes = encode_rank_record(record.value());
    const auto again = decode_rank_record(bytes);
    require(again.ok(), "what was read and written is not read again");
    require(encode_rank_record(again.value()) == bytes, "another record");
    RankRecord limited = record.value();
    limit_sections(limited, size / 2);
    require(
        decode_rank_record(encode_rank_record(limited)).ok() ||
            limited.slice_s > RankRecord::longest_slice_s,  // it was limited before it came here
        "limited, it is not read again");
    std::vector<RankRecord> records(2);
    records[0] = record.value();
    records[1] = std::move(limited);
    for (RankId rank = 0; rank < 2; ++rank) records[rank].rank = rank;
    const auto merged = merge_rank_records(std::move(records));
    if (!merged) return 0;
    require_readable(merged.value());
    replay_rounds(merged.value());
    return 0;
}
